import { expect, test } from 'vitest';
import { createWorkerStatus } from './worker-status.ts';

test('a database that refuses or does not answer is unreachable, and is asked once for requests at the same time', async () => {
  let asked = 0;
  const health = (ping: () => Promise<unknown>) => createWorkerStatus({ slots: 2, ping });
  const ready = health(async () => void asked++);
  expect(await ready.read()).toMatchObject({ running: 0 });
  ready.follow({ running: 1 });
  const [first] = await Promise.all([ready.read(), ready.read(), ready.read()]);
  expect(first).toEqual({ state: 'ready', slots: 2, running: 1, draining: false });
  expect(asked).toBe(1);
  expect(await health(() => Promise.reject(new Error('refused'))).read()).toMatchObject({ state: 'unreachable' });
  expect(await health(() => new Promise(() => {})).read()).toMatchObject({ state: 'unreachable' });
  ready.drain();
  expect(await ready.read()).toMatchObject({ state: 'draining', draining: true });
});
