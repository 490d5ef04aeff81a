import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRedactor } from '../../policy/index.ts';
import { createRedactedBlob } from './redacted-blob.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const VALUE = 'Zq7-hunter2_K9!xW4vB';
const KEY = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');
const redactor = createRedactor({ salt: 's', digest, values: [{ name: 'v', value: VALUE }] });

/** What is kept of bytes that come in chunks of this size. */
async function keep(bytes: Uint8Array, size: number): Promise<Buffer> {
  const written: Buffer[] = [];
  const writer = {
    write: (chunk: Uint8Array) => void written.push(Buffer.from(chunk)),
    finish: async () => ({ hash: 'h', size: 1 }),
    abort() {},
  };
  const blob = createRedactedBlob(writer, redactor);
  for (let at = 0; at < bytes.length; at += size) blob.write(bytes.subarray(at, at + size));
  await blob.finish();
  return Buffer.concat(written);
}

test.each([1, 1_000, 4_096, 65_536, 131_072, 1_000_000])(
  'what comes in chunks of %i bytes is kept as if it had been redacted whole',
  async (size) => {
    const line = 'a line of text with é and 漢字 in it\n';
    const text = [
      line.repeat(3_300),
      `${VALUE}\n`,
      line.repeat(3_000),
      `key = ${KEY}\n`,
      `${'1234567 '.repeat(20_000)}${VALUE} ${'x'.repeat(140_000)}\n`,
      `-----BEGIN RSA PRIVATE KEY-----\n${'MIIabc\n'.repeat(300)}-----END RSA PRIVATE KEY-----\n`,
      line.repeat(200),
    ].join('');
    const expected = redactor.redact(text);
    expect(expected.match(/\[secret:/g)).toHaveLength(4);
    expect((await keep(Buffer.from(text), size)).toString()).toBe(expected);
  },
);

test('a value is taken out at every place around the end of a window', async () => {
  for (let at = 126_900; at < 131_200; at += 53) {
    const text = `${'.'.repeat(at)}${VALUE}${'.'.repeat(10_000)}`;
    expect((await keep(Buffer.from(text), 65_536)).includes('hunter2')).toBe(false);
  }
});

test('bytes that are no text are kept as they are, but for what is secret', async () => {
  const noise = Buffer.alloc(400_000, Buffer.from([0xff, 0x00, 0xfe, 0x80, 0x41]));
  expect((await keep(noise, 65_536)).equals(noise)).toBe(true);
  const kept = await keep(Buffer.concat([noise, Buffer.from(VALUE), noise]), 65_536);
  expect(kept.includes('hunter2')).toBe(false);
  expect(kept.includes('[secret:v:')).toBe(true);
});
