// Covers adapters/store/postgres, sdk/cluster: the sweep that repairs lost calls of a scheduler.
import { createPostgresWorkerStore, type PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import type { Draft } from '@klaus/core/agent';
import { startSweep, type SweepOptions } from '@klaus/sdk/cluster';
import type { WakeReason } from '@klaus/sdk/scheduler';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSession, toOpened } from '../../adapters/store/fixtures/add-session.ts';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../adapters/store/fixtures/postgres-server.ts';
import { createTemporaryHome } from '../../adapters/store/fixtures/temporary-home.ts';

const NOW = Date.UTC(2026, 0, 2);
/** Sweeps happen on request. */
const STOPPED = { now: () => NOW, every: () => () => {} };
const RUN = '01KE0000000000000000000RUN';
const BEGUN: Draft = { type: 'run.started', run: RUN, trigger: 'prompt', onAsk: 'wait', at: NOW };

const ASKED: Draft = {
  type: 'approval.asked',
  run: RUN,
  approval: 'Q',
  turn: 1,
  subject: { kind: 'limit', limit: 'usd', used: 2, cap: 2, offer: 4 },
  title: 'Spend up to 4 dollars?',
  reason: 'The limit of 2 dollars is reached.',
  expiresAt: NOW + 60_000,
  at: NOW,
};

/** A scheduler that records its calls. */
function createCalls() {
  const woken: string[] = [];
  const timers = new Map<string, number>();
  return {
    woken,
    timers,
    async wake(session: string, why: WakeReason): Promise<void> {
      woken.push(`${session} ${why}`);
    },
    async at(session: string, time: number): Promise<void> {
      timers.set(session, Math.min(time, timers.get(session) ?? Infinity));
    },
  };
}

describe.skipIf(findPostgres() === undefined)('the sweep over Postgres', () => {
  const stack = new AsyncDisposableStack();
  let server: PostgresDatabases;
  beforeAll(async () => void (server = stack.use(await openPostgres())));
  afterAll(() => stack.disposeAsync());

  const open = async (url: string): Promise<PostgresWorkerStore> => {
    const home = stack.use(createTemporaryHome());
    const store = await createPostgresWorkerStore({ url, home: home.path });
    stack.defer(() => store.close());
    return store;
  };
  const start = async (options: Partial<SweepOptions> = {}) => {
    const url = await server.createDatabase();
    const store = await open(url);
    const scheduler = createCalls();
    const sweep = startSweep({ store, scheduler, overdueMs: 0, clock: STOPPED, ...options });
    stack.defer(() => sweep.stop());
    return { url, store, scheduler, sweep };
  };

  test('a command whose wake was lost wakes its session, and a consumed one does not', async () => {
    const { store, scheduler, sweep } = await start();
    for (const id of ['A', 'B', 'C']) await addSession(store, id, toOpened(NOW));
    await store.send('A', { type: 'cancel', id: 'one' });
    await store.send('B', { type: 'cancel', id: 'two' });
    const lease = (await store.claim('B'))!;
    await store.append('B', [], { lease, consume: ['two'] });
    await lease.release();
    await sweep.run();
    expect(scheduler.woken).toEqual(['A sweep']);
  });

  test('a command for a child wakes the session that the user opened', async () => {
    const { store, scheduler, sweep } = await start();
    await addSession(store, 'root', toOpened(NOW));
    await addSession(store, 'child', toOpened(NOW, { parent: 'root' }));
    await addSession(store, 'grandchild', toOpened(NOW, { parent: 'child' }));
    await store.send('grandchild', { type: 'cancel', id: 'one' });
    await store.send('child', { type: 'cancel', id: 'two' });
    await sweep.run();
    expect(scheduler.woken).toEqual(['root sweep']);
  });

  test('a session that a process holds is left to it', async () => {
    const { url, store, scheduler, sweep } = await start();
    const other = await open(url);
    await addSession(store, 'A', toOpened(NOW));
    const lease = (await other.claim('A'))!;
    await store.send('A', { type: 'cancel', id: 'one' });
    await sweep.run();
    expect(scheduler.woken).toEqual([]);
    await lease.release();
    await sweep.run();
    expect(scheduler.woken).toEqual(['A sweep']);
  });

  test('a run without an end is woken by a full sweep, once its process is gone', async () => {
    const { url, store, scheduler, sweep } = await start();
    const other = await open(url);
    const lease = (await other.claim('A'))!;
    await other.append('A', [...toOpened(NOW), BEGUN], { lease });
    await sweep.run(true);
    expect(scheduler.woken).toEqual([]);
    await lease.release();
    await sweep.run(true);
    expect(scheduler.woken).toEqual(['A sweep']);
    expect(await store.fenceOf('A')).toBe(lease.fence);
  });

  test('an approval that expires soon has a timer again, and no other one', async () => {
    const { store, scheduler, sweep } = await start();
    await addSession(store, 'root', toOpened(NOW));
    await addSession(store, 'child', [...toOpened(NOW, { parent: 'root' }), BEGUN, ASKED]);
    const later: Draft = { ...ASKED, approval: 'L', expiresAt: NOW + 60_001 };
    await addSession(store, 'later', [...toOpened(NOW), BEGUN, later]);
    await sweep.run(true);
    expect([...scheduler.timers]).toEqual([['root', NOW + 60_000]]);
  });

  /** The seconds at which a sweep each two seconds wakes a session that has a command. */
  const listWakes = async (
    seconds: number,
    before: (second: number, store: PostgresWorkerStore) => Promise<void> = async () => {},
  ): Promise<number[]> => {
    let now = NOW;
    const { store, scheduler, sweep } = await start({ clock: { now: () => now, every: () => () => {} } });
    await addSession(store, 'A', toOpened(NOW));
    await store.send('A', { type: 'cancel', id: 'one' });
    const times: number[] = [];
    for (let second = 0; second < seconds; second += 2) {
      now = NOW + second * 1_000;
      await before(second, store);
      const { length } = scheduler.woken;
      await sweep.run();
      if (scheduler.woken.length > length) times.push(second);
    }
    return times;
  };

  test('a session that does not continue is woken at growing intervals', async () => {
    expect(await listWakes(130)).toEqual([0, 4, 12, 28, 58, 88, 118]);
  });

  test('one that a worker cannot run has longer intervals', { tags: ['long'] }, async () => {
    const times = await listWakes(1_000, async (second, store) => {
      const problem = { worker: 'W', code: 'workspace.missing', message: 'The folder is missing.' };
      if (second === 2) await store.administration.reportProblem('A', problem);
    });
    expect(times).toEqual([0, 4, 12, 28, 60, 124, 252, 508, 808]);
  });

  test('a session that continues is woken again after the first interval', async () => {
    const times = await listWakes(60, async (second, store) => {
      // It continues at 20 s, and still has a command.
      if (second === 20) await addSession(store, 'A', [{ type: 'notice', level: 'info', text: 'one', at: NOW }]);
    });
    expect(times).toEqual([0, 4, 12, 20, 24, 32, 48]);
  });

  test('of several sweeps one wakes a session in each interval, also of a new worker', async () => {
    let now = NOW;
    const clock = { now: () => now, every: () => () => {} };
    const { url, store, scheduler, sweep } = await start({ clock });
    const other = startSweep({ store: await open(url), scheduler, overdueMs: 0, clock });
    const ids = Array.from({ length: 5 }, (_, at) => `S${at}`);
    for (const id of ids) {
      await addSession(store, id, toOpened(NOW));
      await store.send(id, { type: 'cancel', id: 'one' });
    }
    for (const waves of [1, 2]) {
      await Promise.all([sweep.run(true), other.run(true), sweep.run()]);
      // A worker that begins now knows what the others did.
      await startSweep({ store: await open(url), scheduler, overdueMs: 0, clock }).run(true);
      expect(scheduler.woken).toHaveLength(waves * ids.length);
      now += 4_000;
    }
    expect(scheduler.woken.toSorted()).toEqual(ids.flatMap((id) => [`${id} sweep`, `${id} sweep`]));
  });

  test('a run whose child waits for an approval is not woken', async () => {
    const { store, scheduler, sweep } = await start();
    await addSession(store, 'root', [...toOpened(NOW), BEGUN]);
    await addSession(store, 'child', [...toOpened(NOW, { parent: 'root' }), BEGUN, ASKED]);
    await addSession(store, 'other', [...toOpened(NOW), BEGUN]);
    await sweep.run(true);
    expect(scheduler.woken).toEqual(['other sweep']);
  });

  test('a failed sweep is reported, and the next one repairs', async () => {
    const errors: unknown[] = [];
    const { store, scheduler, sweep } = await start();
    await addSession(store, 'A', toOpened(NOW));
    await store.send('A', { type: 'cancel', id: 'one' });
    let tick = (): void => {};
    const clock = {
      now: () => NOW,
      every(_: number, given: () => void) {
        tick = given;
        return () => {};
      },
    };
    let isDown = true;
    const failing = {
      ...scheduler,
      async wake(session: string, why: WakeReason): Promise<void> {
        if (isDown) throw new Error('the engine is down');
        await scheduler.wake(session, why);
      },
    };
    const repaired = startSweep({
      store,
      scheduler: failing,
      overdueMs: 0,
      clock,
      onError: (error) => errors.push(error),
    });
    tick();
    await expect.poll(() => errors.length).toBe(1);
    isDown = false;
    await repaired.run();
    expect(scheduler.woken).toEqual(['A sweep']);
    await sweep.run();
  });
});
