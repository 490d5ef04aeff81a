import { expect, test } from 'vitest';
import { createRecorder, reaches } from './recorder.ts';
import type { CreateSchedulerHarness } from './scheduler-harness.ts';

/** Wakes, and what a run leaves behind. */
export function describeRuns(create: CreateSchedulerHarness): void {
  test('a session that is woken runs, and is idle after that', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const { run, sessions, ended } = createRecorder();
    expect(await scheduler.status('A')).toMatchObject({ state: 'idle' });
    const worker = scheduler.work(run, { slots: 2 });
    await scheduler.wake('A', 'command');
    await ended('A', 1);
    await reaches(scheduler, 'A', 'idle');
    await worker.stop(10_000);
    expect(sessions).toEqual(['A']);
  });

  test('a wake before there is a worker is not lost', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const { run, ended, sessions } = createRecorder();
    await scheduler.wake('A', 'command');
    expect((await scheduler.status('A')).state).toMatch(/^(?:queued|running)$/);
    const worker = scheduler.work(run, { slots: 1 });
    await ended('A', 1);
    await worker.stop(10_000);
    expect(sessions).toEqual(['A']);
  });

  test('wakes during a run lead to another run after it, never to two at the same time', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const first = Promise.withResolvers<void>();
    const wait = async () => {
      await first.promise;
      return { state: 'idle' } as const;
    };
    const { run, begun, ended, doubled, attempts } = createRecorder({ A: [wait] });
    const worker = scheduler.work(run, { slots: 4 });
    await scheduler.wake('A', 'command');
    await begun('A', 1);
    expect(await scheduler.status('A')).toMatchObject({ state: 'running' });
    for (let count = 0; count < 5; count++) await scheduler.wake('A', 'command');
    first.resolve();
    await ended('A', 2);
    await reaches(scheduler, 'A', 'idle');
    await worker.stop(10_000);
    expect([...doubled]).toEqual([]);
    expect(attempts.length).toBeLessThanOrEqual(3);
    const numbers = attempts.map(({ attempt }) => attempt);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
  });

  test('a session that waits runs again when it is woken', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const { run, ended, sessions } = createRecorder({ A: [{ state: 'waiting' }] });
    const worker = scheduler.work(run, { slots: 1 });
    await scheduler.wake('A', 'command');
    await reaches(scheduler, 'A', 'waiting');
    await scheduler.wake('A', 'command');
    await ended('A', 2);
    await reaches(scheduler, 'A', 'idle');
    await worker.stop(10_000);
    expect(sessions).toEqual(['A', 'A']);
  });
}

/** Attempts that did not end as usual. */
export function describeEnds(create: CreateSchedulerHarness): void {
  test('a session that another process holds runs again by itself', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const { run, ended, attempts } = createRecorder({ A: [{ state: 'held' }, { state: 'held' }] });
    const worker = scheduler.work(run, { slots: 1 });
    await scheduler.wake('A', 'command');
    await ended('A', 3);
    await reaches(scheduler, 'A', 'idle');
    await worker.stop(10_000);
    expect(attempts).toHaveLength(3);
  });

  test('after a failed attempt the next wake runs the session', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const { run, ended, sessions } = createRecorder({ A: [new Error('no folder')] });
    const worker = scheduler.work(run, { slots: 1 });
    await scheduler.wake('A', 'command');
    await ended('A', 1);
    await scheduler.wake('A', 'command');
    await ended('A', 2);
    await worker.stop(10_000);
    expect(sessions).toEqual(['A', 'A']);
  });

  test('a cancelled session is aborted and forgotten, and can be woken again', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const hang = async ({ signal }: { signal: AbortSignal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      return { state: 'paused' } as const;
    };
    const { run, begun, ended, sessions } = createRecorder({ A: [hang] });
    const worker = scheduler.work(run, { slots: 1 });
    await scheduler.wake('A', 'command');
    await begun('A', 1);
    await scheduler.cancel('A');
    await ended('A', 1);
    await reaches(scheduler, 'A', 'idle');
    await scheduler.cancel('A');
    await scheduler.wake('B', 'command');
    await ended('B', 1);
    expect(sessions).toEqual(['A', 'B']);
    await scheduler.wake('A', 'command');
    await ended('A', 2);
    await worker.stop(10_000);
  });
}
