import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { toFingerprint } from '../stack/fingerprint.ts';
import { toFrames } from '../stack/to-frames.ts';
import { arm, armFor, isArmed, type Armed } from './arm.ts';
import { UNINITIALIZED } from './capture.ts';

let armed: Armed | undefined;
afterEach(() => armed?.disarm());

const outer = { name: 'outer' };

class Service {
  url = 'u';
  run(items: { price: number }[]) {
    const total = items.length;
    for (const [index, item] of items.entries()) {
      const price = item.price;
      if (index === 1) fail({ price });
    }
    return total;
  }
}

function fail(order: { price: number }): number {
  if (order.price > 1) throw new RangeError(`The price ${order.price} is too high`);
  return outer.name.length;
}

async function caller(service: Service) {
  await Promise.resolve();
  return service.run([{ price: 1 }, { price: 2 }]);
}

function take(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

const failing = (): unknown => take(() => new Service().run([{ price: 1 }, { price: 2 }]));

test('keeps live references of every user frame', async () => {
  armed = arm();
  const service = new Service();
  const error = await caller(service).catch((caught: unknown) => caught);
  const frames = toFrames(error);
  const byName = new Map(frames.map(({ frame, locals }) => [frame.functionName?.split('.').at(-1), locals]));
  expect(byName.get('fail')?.get('order')).toEqual({ price: 2 });
  expect(byName.get('run')?.get('item')).toBe((byName.get('run')?.get('items') as unknown[] | undefined)?.[1]);
  expect(byName.get('run')?.get('total')).toBe(2);
  expect(byName.get('run')?.get('this')).toBe(service);
  expect(byName.get('caller')?.get('service')).toBe(service);
  expect(frames[0]?.frame).toMatchObject({ filePath: import.meta.filename, isUser: true, hasLocals: true });
  expect(frames.find(({ frame }) => frame.isUser !== true)?.locals).toBeUndefined();
});

test('the first capture of a rethrown error is kept', () => {
  armed = arm();
  const error = take(() => {
    try {
      failing();
      fail({ price: 5 });
    } catch (caught) {
      const hidden = 'of the rethrow';
      if (hidden) throw caught;
    }
  });
  expect(toFrames(error)[0]?.locals?.get('order')).toEqual({ price: 5 });
});

test('thrown primitives, and variables before their declaration', () => {
  armed = arm();
  const thrown = take(() => {
    const before = 1;
    // oxlint-disable-next-line typescript/only-throw-error, eslint/no-throw-literal -- that is the case.
    if (before === 1) throw 'a text';
    const later = 2;
    return later;
  });
  const locals = toFrames(thrown)[0]?.locals;
  expect(locals?.get('before')).toBe(1);
  expect(locals?.has('later')).toBe(true);
  expect(locals?.get('later')).toBe(UNINITIALIZED);
});

test('keeps nothing when disarmed', () => {
  armed = arm();
  armed.disarm();
  expect(isArmed()).toBe(false);
  expect(toFrames(failing()).every(({ locals }) => locals === undefined)).toBe(true);
});

test('captures the next error with a fingerprint, then disarms', () => {
  const fingerprint = toFingerprint(failing());
  armed = armFor(fingerprint);
  const other = take(() => JSON.parse('{'));
  expect(toFrames(other).some(({ locals }) => locals)).toBe(false);
  expect(isArmed()).toBe(true);
  const error = failing();
  expect(toFingerprint(error)).toBe(fingerprint);
  expect(toFrames(error)[0]?.locals?.get('order')).toEqual({ price: 2 });
  expect(isArmed()).toBe(false);
});

test('importing installs no debugger, asynchronous hook, timer or listener', () => {
  const program = `
    import { executionAsyncId } from 'node:async_hooks';
    const before = [process.eventNames().length, process.getActiveResourcesInfo().length, Object.keys(globalThis).length];
    await import(${JSON.stringify(join(import.meta.dirname, 'arm.ts'))});
    await import(${JSON.stringify(join(import.meta.dirname, '../server/debug-server.ts'))});
    const after = [process.eventNames().length, process.getActiveResourcesInfo().length, Object.keys(globalThis).length];
    // A hook that is enabled gives each promise an id of its own.
    const ids = await Promise.all([1, 2].map(async () => { await null; return executionAsyncId(); }));
    console.log(JSON.stringify({ before, after, ids, url: (await import('node:inspector')).url() }));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  const { before, after, ids, url } = JSON.parse(output) as Record<string, unknown>;
  expect(after).toEqual(before);
  expect(new Set(ids as number[]).size).toBe(1);
  expect(url).toBeUndefined();
});
