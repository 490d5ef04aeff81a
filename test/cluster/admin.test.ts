// Covers sdk/cluster/administration, adapters/store/postgres/administration, apps/cli/commands/admin, apps/cli/worker: `klaus admin` from the outside.
import { cpSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterKlaus, RepairReport, SessionList } from '@klaus/sdk/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WORKFLOW_CACHE } from '../../adapters/scheduler/temporal/temporal-server.fixture.ts';
import { untilLogged } from '../fixtures/engine.ts';
import { runKlaus, startKlaus, startServer, toEnv, type RunningKlaus } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { startCluster, WITHOUT_CLUSTER, type Cluster } from './cluster.ts';

/** Steps of a run: each answer comes after some time. */
const LOOK = { delay: 1_200, reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] } };
const STEPS = 10;
const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { tools: true, user: 'Answer|Again|More' }, reply: { text: 'Done.' } },
    ...Array.from({ length: STEPS }, (_, turn) => ({ ...LOOK, when: { tools: true, turn } })),
    { when: { tools: true }, reply: { text: 'Done.' } },
  ],
};

interface WorkerLine {
  id: string;
  state: string;
  pid: number;
  slots: number;
  running: number;
  health: string | null;
}

describe.skipIf(WITHOUT_CLUSTER !== undefined)(
  `klaus admin${WITHOUT_CLUSTER ? `: ${WITHOUT_CLUSTER}` : ''}`,
  { timeout: 120_000 },
  () => {
    const stack = new AsyncDisposableStack();
    let place: TestHome;
    let server: Awaited<ReturnType<typeof startServer>>;
    let cluster: Cluster;
    let klaus: ClusterKlaus;
    let workers: RunningKlaus[];

    const toProgram = (home: string, env: Record<string, string> = {}) => ({
      ...{ place, server },
      env: { ...cluster.variables, KLAUS_HOME: home, ...env },
    });
    const toHome = (): string => {
      const { home } = stack.use(createTestHome());
      mkdirSync(home, { mode: 0o700 });
      if (existsSync(WORKFLOW_CACHE)) cpSync(WORKFLOW_CACHE, join(home, 'cache'), { recursive: true });
      return home;
    };
    const startWorker = async (): Promise<RunningKlaus> => {
      const worker = startKlaus(['worker', '--json', '--slots', '2', '--health-port', '0'], toProgram(toHome()));
      stack.defer(async () => {
        worker.kill('SIGKILL');
        await worker.ended;
      });
      await worker.printed('stdout', '\n');
      return worker;
    };
    const admin = async <T>(...words: string[]) => {
      const ended = await runKlaus(['admin', ...words, '--json'], {
        ...toProgram(place.home),
        cwd: import.meta.dirname,
      });
      const parse = (): T => JSON.parse(ended.stdout) as T;
      return { ...ended, parse };
    };
    const listWorkers = async (): Promise<WorkerLine[]> => {
      const { stdout } = await admin('workers');
      return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as WorkerLine]));
    };
    const begin = async (text: string): Promise<string> => {
      const session = await klaus.open();
      await session.prompt(text);
      await cluster.scheduler.wake(session.id, 'command');
      return session.id;
    };
    const countOf = async (session: string, type: 'tool.finished' | 'run.finished'): Promise<number> =>
      (await klaus.store.eventsOf(session, [type])).length;

    beforeAll(async () => {
      server = stack.use(await startServer(SCRIPT));
      place = stack.use(createTestHome());
      cluster = stack.use(await startCluster(place, { env: toEnv({ place, server }) }));
      klaus = await cluster.openNode();
      workers = [await startWorker(), await startWorker()];
    }, 240_000);
    afterAll(() => stack.disposeAsync(), 60_000);

    test('workers are listed; a session moves to the other one, and its worker drains', async () => {
      const before = await listWorkers();
      expect(new Set(before.map(({ pid }) => pid))).toEqual(new Set(workers.map(({ pid }) => pid)));
      expect(before.every(({ state, slots, health }) => state === 'ready' && slots === 2 && health !== null)).toBe(
        true,
      );

      const session = await begin('Read it slowly.');
      await untilLogged(klaus, session, 'tool.finished');
      const listed = (await admin<SessionList>('sessions', '--state', 'running')).parse();
      expect(listed).toMatchObject({ counts: { running: 1 }, sessions: [{ id: session, state: 'running' }] });
      const { worker } = listed.sessions[0]!;
      const moved = await admin('move', session);
      expect(moved, moved.stderr).toMatchObject({ code: 0 });
      expect(moved.parse()).toMatchObject({ session, from: worker });
      const holder = async () => (await klaus.store.administration.active()).find(({ id }) => id === session)?.worker;
      const other = before.find(({ id }) => id !== worker)!;
      await expect.poll(holder, { timeout: 30_000, interval: 50 }).toBe(other.id);

      const drained = await admin('drain', other.id, '--wait');
      expect(drained, drained.stderr).toMatchObject({ code: 0 });
      const process = workers.find(({ pid }) => pid === other.pid)!;
      expect(await process.ended).toMatchObject({ code: 0 });
      expect((await klaus.store.administration.workers()).map(({ id }) => id)).toEqual([worker]);
      await untilLogged(klaus, session, 'run.finished');
      expect(await countOf(session, 'tool.finished')).toBe(STEPS);
      expect(await klaus.store.verify(session)).toMatchObject({ intact: true });

      // Now there is no other worker to which a session could go.
      const alone = await begin('Read it slowly.');
      const isHeld = () => klaus.store.isClaimed(alone);
      await expect.poll(isHeld, { timeout: 30_000, interval: 50 }).toBe(true);
      expect(await admin('move', alone)).toMatchObject({ code: 9 });
      await klaus.store.send(alone, { type: 'cancel', id: 'c1' });
      await untilLogged(klaus, alone, 'run.finished');
    });

    test(
      'a session without its folder is stuck with the reason, and runs again after the repair',
      { tags: ['long'] },
      async () => {
        const session = await begin('Answer.');
        await untilLogged(klaus, session, 'run.finished');
        const aside = `${place.workspace}-aside`;
        renameSync(place.workspace, aside);
        try {
          const parts = [{ type: 'text' as const, text: 'More.' }];
          await klaus.store.send(session, { type: 'prompt', id: 'p2', parts, onAsk: 'deny', delivery: 'steer' });
          await cluster.scheduler.wake(session, 'command');
          const reason = async () =>
            (await admin<SessionList>('stuck')).parse().sessions.map(({ id, problem }) => [id, problem?.code]);
          await expect.poll(reason, { timeout: 40_000, interval: 500 }).toEqual([[session, 'workspace.missing']]);
          const found = { session, woken: true, log: 'intact' };
          expect(await runRepair('--dry-run', session)).toMatchObject({ dryRun: true, sessions: [found] });
          expect(await runRepair(session)).toMatchObject({ dryRun: false, sessions: [found] });
        } finally {
          renameSync(aside, place.workspace);
        }
        await untilLogged(klaus, session, 'run.finished', 2);
        expect((await admin<SessionList>('stuck')).parse()).toMatchObject({ counts: { stuck: 0 }, sessions: [] });
      },
    );

    test('sessions that wait for their next attempt are listed and woken', { tags: ['long'] }, async () => {
      const session = await begin('Answer.');
      await untilLogged(klaus, session, 'run.finished');
      const aside = `${place.workspace}-aside`;
      renameSync(place.workspace, aside);
      try {
        const parts = [{ type: 'text' as const, text: 'More.' }];
        await klaus.store.send(session, { type: 'prompt', id: 'p3', parts, onAsk: 'deny', delivery: 'steer' });
        await cluster.scheduler.wake(session, 'command');
        const stuck = async () => (await admin<SessionList>('stuck')).parse().sessions.map(({ id }) => id);
        await expect.poll(stuck, { timeout: 40_000, interval: 500 }).toEqual([session]);
        const listed = await admin<{ dryRun: boolean; sessions: string[] }>('retry', '--dry-run');
        expect(listed.parse()).toEqual({ dryRun: true, sessions: [session] });
        expect((await admin('retry', session)).parse()).toEqual({ dryRun: false, sessions: [session] });
      } finally {
        renameSync(aside, place.workspace);
      }
      expect(await admin('retry')).toMatchObject({ code: 0 });
      await untilLogged(klaus, session, 'run.finished', 2);
      expect((await admin('retry')).parse()).toEqual({ dryRun: false, sessions: [] });
      expect(await admin('retry', 'none')).toMatchObject({ code: 2 });
    });

    const runRepair = async (...words: string[]): Promise<RepairReport & { dryRun: boolean }> => {
      const ended = await runKlaus(['admin', 'repair', '--json', ...words], {
        ...toProgram(toHome()),
        cwd: import.meta.dirname,
      });
      expect(ended.stdout, ended.stderr).not.toBe('');
      return JSON.parse(ended.stdout) as RepairReport & { dryRun: boolean };
    };

    test(
      'changed tables are folded again, and a changed log is reported and left as it is',
      { tags: ['long'] },
      async () => {
        const session = await begin('Answer.');
        await untilLogged(klaus, session, 'run.finished');
        const query = (text: string) => cluster.postgres.query(text, [session], cluster.database);
        await query("UPDATE sessions SET title = 'forged', turns = 99 WHERE id = $1");
        await query('DELETE FROM messages WHERE session_id = $1');
        expect(await klaus.store.audit({ session })).toMatchObject({ intact: false });
        expect(await runRepair('--dry-run', session)).toMatchObject({ sessions: [{ session, log: 'rebuilt' }] });
        expect(await klaus.store.audit({ session })).toMatchObject({ intact: false });
        expect(await runRepair(session)).toMatchObject({ sessions: [{ session, log: 'rebuilt' }] });
        expect(await klaus.store.audit({ session })).toMatchObject({ intact: true });

        await query("UPDATE events SET record = replace(record, 'Answer.', 'Forged.') WHERE session_id = $1");
        const [before] = await query(
          'SELECT string_agg(record, $$ $$ ORDER BY seq) AS log FROM events WHERE session_id = $1',
        );
        const ended = await runKlaus(['admin', 'repair', '--json', session], toProgram(toHome()));
        expect(ended.code).toBe(1);
        expect(JSON.parse(ended.stdout)).toMatchObject({ sessions: [{ session, log: 'damaged' }] });
        expect(
          await query('SELECT string_agg(record, $$ $$ ORDER BY seq) AS log FROM events WHERE session_id = $1'),
        ).toEqual([before]);
      },
    );

    test('a missing setting is named, and a wrong state is refused', async () => {
      const missing = await runKlaus(['admin', 'sessions'], { place, server });
      expect(missing.code).toBe(3);
      expect(missing.stderr).toContain('KLAUS_CLUSTER_POSTGRES_URL');
      expect(await admin('sessions', '--state', 'none')).toMatchObject({ code: 2 });
      expect(await admin('move', 'none')).toMatchObject({ code: 2 });
      expect(await admin('drain', 'none')).toMatchObject({ code: 2 });
    });
  },
);
