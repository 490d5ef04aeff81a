import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { findListener } from './listener.ts';

async function listen(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test.skipIf(process.platform !== 'linux').each(['127.0.0.1', '0.0.0.0', '::'])(
  'the user and the program of a socket that listens at %s',
  async (host) => {
    const port = await listen(host);
    const found = findListener({ host: '127.0.0.1', port });
    expect(found.user).toBe(userInfo().username);
    expect(found.program).not.toBe('unknown');
  },
);

test('a port at which nothing listens, and a text that is no address, have no owner', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const none = { user: 'unknown', program: 'unknown' };
  expect(findListener({ host: '127.0.0.1', port })).toEqual(none);
  expect(findListener({ host: 'example.com', port })).toEqual(none);
});
