import { expect, test } from 'vitest';
import { createWorkerStatus } from './worker-status.ts';

const answers = () => Promise.resolve();

test('a service that refuses or does not answer is named, and is asked once for requests at the same time', async () => {
  let asked = 0;
  const health = (postgres: () => Promise<unknown>, temporal = answers, objects = answers, sandbox = answers) =>
    createWorkerStatus({ slots: 2, services: { postgres, temporal, objects, sandbox } });
  const ready = health(async () => void asked++);
  expect(await ready.read()).toMatchObject({ running: 0 });
  ready.follow({ running: 1 });
  const [first] = await Promise.all([ready.read(), ready.read(), ready.read()]);
  expect(first).toEqual({ state: 'ready', unreachable: [], slots: 2, running: 1, draining: false });
  expect(asked).toBe(1);
  const refuse = () => Promise.reject(new Error('refused'));
  expect(await health(refuse).read()).toMatchObject({ state: 'unreachable', unreachable: ['postgres'] });
  expect(await health(answers, refuse).read()).toMatchObject({ state: 'unreachable', unreachable: ['temporal'] });
  const without = health(answers, answers, refuse, refuse);
  expect(await without.read()).toMatchObject({ state: 'unreachable', unreachable: ['objects', 'sandbox'] });
  expect(await without.readServices()).toEqual({ postgres: 1, temporal: 1, objects: 0, sandbox: 0 });
  const silent = () => new Promise<void>(() => {});
  expect(await health(silent, silent).read()).toMatchObject({ unreachable: ['postgres', 'temporal'] });
  ready.drain();
  expect(await ready.read()).toMatchObject({ state: 'draining', draining: true });
});
