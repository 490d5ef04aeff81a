import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, test } from 'vitest';
import { createRecorder, reaches } from '../conformance/recorder.ts';
import { openTemporalScheduler } from './temporal-scheduler.ts';
import { provideTemporal, startTemporal, WORKFLOW_CACHE } from './temporal-server.fixture.ts';
import type { AttemptLine } from './worker-process.fixture.ts';

const { program, reason } = provideTemporal();
const server = program === undefined ? undefined : await startTemporal(program);
afterAll(async () => await server?.[Symbol.asyncDispose]());

const toOptions = (taskQueue: string) => ({
  address: server!.address,
  taskQueue,
  prefix: `${taskQueue}-`,
  cacheFolder: WORKFLOW_CACHE,
});

/** A worker in a process of its own. */
function startWorker(taskQueue: string, runMs: number, lines: (AttemptLine & { pid: number })[]) {
  const options = JSON.stringify({ ...toOptions(taskQueue), runMs });
  const child = spawn(process.execPath, [join(import.meta.dirname, 'worker-process.fixture.ts'), options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = child.pid!;
  createInterface({ input: child.stdout }).on('line', (line) => lines.push({ ...JSON.parse(line), pid }));
  return {
    pid,
    signal: (name: NodeJS.Signals) => child.kill(name),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const poll = { timeout: 60_000, interval: 50 };

describe.skipIf(server === undefined)(
  `Temporal after failures${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  { timeout: 180_000 },
  () => {
    test('the sessions of a killed worker continue on the other one with a larger attempt token', async () => {
      const queue = 'killed';
      await using scheduler = await openTemporalScheduler(toOptions(queue));
      const lines: (AttemptLine & { pid: number })[] = [];
      const begunOf = (session: string) => lines.filter((line) => line.session === session && line.event === 'begun');
      await using first = startWorker(queue, 3_600_000, lines);
      await scheduler.wake('A', 'command');
      await scheduler.wake('B', 'command');
      await expect.poll(() => begunOf('A').length + begunOf('B').length, poll).toBe(2);
      await using second = startWorker(queue, 10, lines);
      await scheduler.wake('C', 'command');
      // A worker that has run a session is ready for those of the other one.
      await expect.poll(() => begunOf('C').length, poll).toBe(1);
      first.signal('SIGKILL');
      for (const session of ['A', 'B']) {
        await expect
          .poll(() => lines.some((line) => line.session === session && line.event === 'ended'), poll)
          .toBe(true);
        const begun = begunOf(session);
        const tokens = begun.map(({ attempt }) => attempt);
        expect([begun[0]!.pid, begun.at(-1)!.pid]).toEqual([first.pid, second.pid]);
        expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
        await reaches(scheduler, session, 'idle');
      }
    });

    test(
      'a worker that was stopped for longer than the time-out of heartbeats aborts its attempt',
      { tags: ['long'] },
      async () => {
        const queue = 'stopped';
        await using scheduler = await openTemporalScheduler(toOptions(queue));
        const lines: (AttemptLine & { pid: number })[] = [];
        await using first = startWorker(queue, 3_600_000, lines);
        await scheduler.wake('A', 'command');
        await expect.poll(() => lines.length, poll).toBe(1);
        first.signal('SIGSTOP');
        await using second = startWorker(queue, 3_600_000, lines);
        await expect.poll(() => lines.length, poll).toBe(2);
        const taken = lines[1]!;
        expect(taken).toMatchObject({ session: 'A', event: 'begun', pid: second.pid });
        expect(taken.attempt).toBeGreaterThan(lines[0]!.attempt);
        first.signal('SIGCONT');
        // A busy machine may take the session from the second one too.
        const ended = { session: 'A', event: 'ended', pid: first.pid, attempt: lines[0]!.attempt };
        await expect.poll(() => lines, poll).toContainEqual(expect.objectContaining(ended));
        await scheduler.cancel('A');
      },
    );

    test('attempt tokens grow over a cancelled run and a new start', { tags: ['long'] }, async () => {
      await using scheduler = await openTemporalScheduler(toOptions('tokens'));
      const { run, attempts, ended } = createRecorder({ A: [{ state: 'paused' }, new Error('failed')] });
      const worker = scheduler.work(run, { slots: 1 });
      for (let times = 2; times < 6; times++) {
        await scheduler.wake('A', 'command');
        await ended('A', times);
        await reaches(scheduler, 'A', 'idle');
      }
      await worker.stop(10_000);
      const numbers = attempts.map(({ attempt }) => attempt);
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    });

    test('timers, wakes and sessions that wait survive a killed engine', { tags: ['long'] }, async () => {
      await using scheduler = await openTemporalScheduler(toOptions('engine'));
      const { run, ended, sessions } = createRecorder({ waiting: [{ state: 'waiting' }] });
      const worker = scheduler.work(run, { slots: 4 });
      await scheduler.wake('waiting', 'command');
      await reaches(scheduler, 'waiting', 'waiting');
      const soon = Date.now() + 3_000;
      await scheduler.at('timer', soon);
      await scheduler.at('later', Date.now() + 3_600_000);
      await server!.kill();
      await expect(scheduler.wake('lost', 'command')).rejects.toMatchObject({
        code: 'scheduler.failed',
        retryable: true,
      });
      await server!.restart();
      await ended('timer', 1);
      expect(Date.now()).toBeGreaterThanOrEqual(soon);
      await reaches(scheduler, 'waiting', 'waiting');
      expect((await scheduler.status('later')).state).toBe('waiting');
      await scheduler.wake('waiting', 'command');
      await ended('waiting', 2);
      await reaches(scheduler, 'waiting', 'idle');
      await scheduler.wake('lost', 'sweep');
      await ended('lost', 1);
      expect(sessions.toSorted()).toEqual(['lost', 'timer', 'waiting', 'waiting']);
      await worker.stop(10_000);
    });

    test('a sweep starts the sessions again after the engine lost its database', { tags: ['long'] }, async () => {
      await using scheduler = await openTemporalScheduler(toOptions('empty'));
      const { run, attempts, ended } = createRecorder({ A: [{ state: 'waiting' }] });
      const worker = scheduler.work(run, { slots: 4 });
      await scheduler.wake('A', 'command');
      await reaches(scheduler, 'A', 'waiting');
      await server!.restart({ fresh: true });
      expect(await scheduler.status('A')).toEqual({ state: 'idle' });
      await scheduler.wake('A', 'sweep');
      await ended('A', 2);
      expect(attempts[1]!.attempt).toBeGreaterThan(attempts[0]!.attempt);
      await reaches(scheduler, 'A', 'idle');
      await worker.stop(10_000);
    });
  },
);
