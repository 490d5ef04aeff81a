import { expect, test } from 'vitest';
import { createRecorder, reaches } from './recorder.ts';
import type { CreateSchedulerHarness } from './scheduler-harness.ts';

/** The slots of a worker, and its end. */
export function describeWorkers(create: CreateSchedulerHarness): void {
  test('a worker runs as many sessions as it has slots, and all in the end', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const names = Array.from({ length: 12 }, (_, at) => `S${at}`);
    const full = Promise.withResolvers<void>();
    let now = 0;
    const meet = async () => {
      now += 1;
      // The first ones wait for each other: a worker with fewer slots would never get there.
      if (now === 3) full.resolve();
      await full.promise;
      return { state: 'idle' } as const;
    };
    const recorder = createRecorder(Object.fromEntries(names.map((name) => [name, [meet]])));
    const worker = scheduler.work(recorder.run, { slots: 3 });
    await Promise.all(names.map((name) => scheduler.wake(name, 'command')));
    await Promise.all(names.map((name) => recorder.ended(name, 1)));
    await worker.stop(10_000);
    expect(recorder.most).toBe(3);
    expect(recorder.sessions.toSorted()).toEqual(names.toSorted());
  });

  test('a worker that stops pauses its runs, and the next worker resumes them and what waited', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const pausing = async ({ pause }: { pause: AbortSignal }) => {
      await new Promise<void>((resolve) => pause.addEventListener('abort', () => resolve(), { once: true }));
      return { state: 'paused' } as const;
    };
    const first = createRecorder({ A: [pausing], B: [pausing] });
    const worker = scheduler.work(first.run, { slots: 1 });
    await scheduler.wake('A', 'command');
    await first.begun('A', 1);
    await scheduler.wake('B', 'command');
    await worker.stop(10_000);
    await worker.stop(10_000);
    expect(first.sessions).toEqual(['A']);

    const second = createRecorder();
    const next = await harness.open();
    const later = next.work(second.run, { slots: 1 });
    await Promise.all([second.ended('A', 1), second.ended('B', 1)]);
    await reaches(next, 'B', 'idle');
    await later.stop(10_000);
  });

  test('a worker that stops aborts a run that does not pause', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const hang = async ({ signal }: { signal: AbortSignal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      return { state: 'paused' } as const;
    };
    const { run, begun, ended, attempts } = createRecorder({ A: [hang] });
    const worker = scheduler.work(run, { slots: 1 });
    await scheduler.wake('A', 'command');
    await begun('A', 1);
    await worker.stop(100);
    await ended('A', 1);
    expect(attempts[0]!.signal.aborted).toBe(true);
  });
}
