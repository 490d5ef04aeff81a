import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionLost, createTappedFetch } from './tapped-fetch.ts';

const fetch = createTappedFetch(() => {});

/** A server that answers every connection's first bytes with this text, then ends it or leaves it open. */
async function serve(answer: string, { end }: { end: boolean }): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (end ? socket.end(answer) : socket.write(answer)));
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const head = (first: string, length = 0) => `HTTP/1.1 ${first}\r\ncontent-length: ${length}\r\n\r\n`;

test('a switch to another protocol is an error, not a wait without an end', async () => {
  const url = await serve('HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n', { end: false });
  await expect(fetch(url)).rejects.toThrow('without a response');
});

test('statuses that have no body', async () => {
  for (const status of [204, 205, 304]) {
    const response = await fetch(await serve(head(`${status} Nothing`), { end: false }));
    expect([response.status, await response.text()]).toEqual([status, '']);
  }
});

test('a cut body is a lost connection, an abort is an abort', async () => {
  const cut = await fetch(await serve(`${head('200 OK', 9)}abc`, { end: true }));
  await expect(cut.text()).rejects.toThrow(ConnectionLost);

  const controller = new AbortController();
  const response = await fetch(await serve(`${head('200 OK', 9)}abc`, { end: false }), { signal: controller.signal });
  const reader = response.body!.getReader();
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('abc');
  const rest = reader.read();
  controller.abort();
  await expect(rest).rejects.toMatchObject({ name: 'AbortError' });
});
