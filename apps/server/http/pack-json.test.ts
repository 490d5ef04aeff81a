// Covers apps/server/http: which JSON answers are compressed, and that they can be read.
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { packJson } from './pack-json.ts';

const LIST = { models: Array.from({ length: 200 }, (_, i) => ({ name: `provider/model-${i}`, usable: true })) };

it('compresses an answer for a client that accepts gzip', () => {
  const { headers, body } = packJson(LIST, 'br, gzip;q=0.8');
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': body.length });
  expect(JSON.parse(gunzipSync(body as Buffer).toString('utf8'))).toStrictEqual(LIST);
  expect(body.length).toBeLessThan(JSON.stringify(LIST).length / 5);
});

it.for([undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.0, br'])('sends text to a client that accepts %j', (encodings) => {
  const { headers, body } = packJson(LIST, encodings);
  expect(headers).not.toHaveProperty('content-encoding');
  expect(JSON.parse(body as string)).toStrictEqual(LIST);
});

it('sends a short answer as text, with its length in bytes', () => {
  expect(packJson({ title: 'ä' }, 'gzip')).toStrictEqual({
    headers: { 'content-type': 'application/json', 'content-length': 14 },
    body: '{"title":"ä"}',
  });
});
