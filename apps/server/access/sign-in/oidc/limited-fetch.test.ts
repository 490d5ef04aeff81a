import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { limitedFetch } from './limited-fetch.ts';

/** A provider that answers without an end, with a redirect loop, and with an answer. */
async function startProvider(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/loop') return void response.writeHead(302, { location: '/loop' }).end();
    if (request.url === '/') return void response.end('{}');
    const piece = Buffer.alloc(64 * 1_024);
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
      response.once('drain', write);
    };
    write();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const OPTIONS = { body: undefined, headers: {}, method: 'GET', redirect: 'manual' as const };

test('reads an answer, stops one without an end, and follows no redirect', async () => {
  const url = await startProvider();
  expect(await (await limitedFetch(`${url}/`, OPTIONS)).json()).toEqual({});
  await expect(limitedFetch(`${url}/endless`, OPTIONS)).rejects.toBeInstanceOf(TypeError);
  expect((await limitedFetch(`${url}/loop`, OPTIONS)).status).toBe(302);
});
