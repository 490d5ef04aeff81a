import { expect, test } from 'vitest';
import { createRecorder, reaches } from './recorder.ts';
import type { CreateSchedulerHarness } from './scheduler-harness.ts';

const HOUR = 3_600_000;

/**
 * Timers.
 *
 * @param soonMs Milliseconds until the timers of these tests.
 */
export function describeTimers(create: CreateSchedulerHarness, soonMs: number): void {
  test('the earliest time counts, and wakes the session once', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    let begun = 0;
    const note = async () => {
      begun = Date.now();
      return { state: 'idle' } as const;
    };
    const { run, sessions, ended } = createRecorder({ A: [note] });
    const worker = scheduler.work(run, { slots: 1 });
    const soon = Date.now() + soonMs;
    await scheduler.at('A', Date.now() + HOUR);
    await scheduler.at('A', soon);
    await scheduler.at('A', Date.now() + 2 * HOUR);
    expect(await scheduler.status('A')).toMatchObject({ state: 'waiting', until: soon });
    await ended('A', 1);
    expect(begun).toBeGreaterThanOrEqual(soon);
    await reaches(scheduler, 'A', 'idle');
    await worker.stop(10_000);
    expect(sessions).toEqual(['A']);
  });

  test('a time that has passed wakes at once', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const { run, ended, sessions } = createRecorder();
    const worker = scheduler.work(run, { slots: 1 });
    await scheduler.at('A', Date.now() - HOUR);
    await ended('A', 1);
    await worker.stop(10_000);
    expect(sessions).toEqual(['A']);
  });

  test('a run can wait until a time, and a wake comes before it', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const later = async () => ({ state: 'waiting', until: Date.now() + 300 }) as const;
    const never = async () => ({ state: 'waiting', until: Date.now() + HOUR }) as const;
    const { run, ended, sessions } = createRecorder({ A: [later, never] });
    const worker = scheduler.work(run, { slots: 1 });
    await scheduler.wake('A', 'command');
    await ended('A', 2);
    await reaches(scheduler, 'A', 'waiting');
    await scheduler.wake('A', 'command');
    await ended('A', 3);
    await worker.stop(10_000);
    expect(sessions).toEqual(['A', 'A', 'A']);
  });

  test('a run replaces the timer that was set before it', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const { run, ended, sessions } = createRecorder({ A: [{ state: 'waiting', until: Date.now() + HOUR }] });
    const worker = scheduler.work(run, { slots: 1 });
    await scheduler.at('A', Date.now() + 2 * HOUR);
    await scheduler.wake('A', 'command');
    await ended('A', 1);
    await reaches(scheduler, 'A', 'waiting');
    await scheduler.wake('A', 'command');
    await reaches(scheduler, 'A', 'idle');
    await worker.stop(10_000);
    expect(sessions).toEqual(['A', 'A']);
  });

  test('a cancelled session forgets its timer', async () => {
    await using harness = await create();
    const scheduler = await harness.open();
    const { run, ended, sessions } = createRecorder();
    const worker = scheduler.work(run, { slots: 1 });
    const soon = Date.now() + soonMs;
    await scheduler.at('A', soon);
    await scheduler.cancel('A');
    expect(await scheduler.status('A')).toEqual({ state: 'idle' });
    // The timer of B is later, so that of A would have come before it.
    await scheduler.at('B', soon + 100);
    await ended('B', 1);
    await worker.stop(10_000);
    expect(sessions).toEqual(['B']);
  });
}
