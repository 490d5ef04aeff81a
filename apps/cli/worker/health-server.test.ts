import { expect, test } from 'vitest';
import type { WorkerHealth } from './worker-status.ts';
import { startHealthServer } from './health-server.ts';

const READY: WorkerHealth = { state: 'ready', unreachable: [], slots: 2, running: 0, draining: false };

test('only GET and HEAD of two paths are answered, and a failed read is no success', async () => {
  let fails = false;
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    read: () => (fails ? Promise.reject(new Error('secret')) : Promise.resolve(READY)),
    metrics: undefined,
  });
  const statusOf = async (path: string, method = 'GET') => (await fetch(server.url + path, { method })).status;
  expect(await statusOf('/health')).toBe(200);
  expect(await statusOf('/health?probe=1', 'HEAD')).toBe(200);
  expect(await statusOf('/health', 'POST')).toBe(405);
  expect(await statusOf('/metrics')).toBe(404);
  expect(await statusOf('/')).toBe(404);
  fails = true;
  const failed = await fetch(`${server.url}/health`);
  expect([failed.status, await failed.text()]).toEqual([500, 'failed\n']);
  const port = Number(new URL(server.url).port);
  await expect(
    startHealthServer({ host: '127.0.0.1', port, read: async () => READY, metrics: undefined }),
  ).rejects.toMatchObject({
    code: 'usage',
  });
  await server.close();
});
