// Covers sdk/cluster/copy, adapters/store/transfer, adapters/store/postgres/transfer, adapters/store/sqlite/transfer, apps/cli/commands/system: `klaus db copy` from the outside.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKlaus, type Klaus } from '@klaus/sdk';
import { createClusterKlaus, type ClusterKlaus } from '@klaus/sdk/cluster';
import { createSqliteStore } from '@klaus/adapters/store';
import type { StoreQueries } from '@klaus/core/agent';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { provideSeaweed, startS3Server, type S3Server } from '../../adapters/objects/fixtures/s3-server.ts';
import { addSession, toOpened } from '../../adapters/store/fixtures/add-session.ts';
import { findPostgres, openPostgres, type PostgresDatabases } from '../../adapters/store/fixtures/postgres-server.ts';
import { toSampleDrafts } from '../../adapters/store/fixtures/sample-events.ts';
import { runKlaus, startKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { toOptions } from './cluster-order.ts';

const seaweed = provideSeaweed();
const REASON = seaweed.reason ?? (findPostgres() ? undefined : 'Postgres is not installed');

const write = (path: string) => ({
  text: 'I write.',
  calls: [{ name: 'write_file', input: { path, content: `${path}\n` } }],
});
const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'much', turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'seq 1 90000' } }] } },
    { when: { user: 'write', turn: 0 }, reply: write('a.txt') },
    { when: { tools: true }, reply: { text: 'Done with the aardvark.' } },
  ],
};

interface Line {
  session: string;
  outcome: string;
  events: number;
  blobs: number;
  states: number;
  missingStates: number;
  error?: { code: string };
  sum?: Record<string, number>;
}

describe.skipIf(REASON !== undefined)(`klaus db copy${REASON ? `: ${REASON}` : ''}`, { timeout: 120_000 }, () => {
  const stack = new AsyncDisposableStack();
  let server: Awaited<ReturnType<typeof startServer>>;
  let postgres: PostgresDatabases;
  let s3: S3Server;
  let place: TestHome;
  let services: { database: string; bucket: Awaited<ReturnType<S3Server['createBucket']>> };

  const toVariables = (): Record<string, string> => ({
    KLAUS_CLUSTER_POSTGRES_URL: services.database,
    KLAUS_CLUSTER_BUCKET: services.bucket.bucket,
    KLAUS_CLUSTER_S3_ENDPOINT: services.bucket.endpoint!,
    KLAUS_CLUSTER_S3_KEY_ID: services.bucket.credentials!.accessKeyId,
    KLAUS_CLUSTER_S3_SECRET_KEY: services.bucket.credentials!.secretAccessKey,
  });
  const toProgram = (home: string) => ({ place, server, env: { ...toVariables(), KLAUS_HOME: home } });
  const run = async (home: string, ...words: string[]) => {
    const ended = await runKlaus(['db', 'copy', '--json', ...words], toProgram(home));
    const lines = ended.stdout.split('\n').filter((line) => line.startsWith('{'));
    const rows = lines.map((line) => JSON.parse(line) as Line);
    return { ...ended, rows: rows.filter(({ sum }) => !sum), sum: rows.find(({ sum }) => sum)?.sum };
  };
  const openHome = (home: string): Promise<Klaus> =>
    createKlaus({
      cwd: place.workspace,
      home,
      env: { ...toEnv({ place, server }), KLAUS_HOME: home },
    });
  const openNode = (): Promise<ClusterKlaus> =>
    createClusterKlaus(
      toOptions({
        ...services,
        ...{ engine: '', cache: '', home: stack.use(createTestHome()).home, workspace: place.workspace },
        ...{ env: toEnv({ place, server }), settings: {} },
      }),
    );
  const begin = async (klaus: Klaus, text: string, mode: 'ask' | 'auto' = 'auto'): Promise<string> => {
    const session = await klaus.open({ mode });
    await session.prompt(text, { onAsk: 'wait' });
    await session.advance();
    return session.id;
  };
  /** What a user sees of all sessions. */
  const readView = async (store: Pick<StoreQueries, keyof Klaus['store'] & keyof StoreQueries>) => {
    const sessions = await store.sessions({ limit: 1_000, sort: 'created', order: 'asc' });
    const texts = sessions.map(async ({ id }) => (await Array.fromAsync(store.texts(id))).map(({ text }) => text));
    const decisions = await Array.fromAsync(store.decisions());
    return {
      sessions,
      texts: await Promise.all(texts),
      found: (await store.searchMessages({ words: ['aardvark'], limit: 50 })).map(({ session }) => session).toSorted(),
      usage: await store.usage({ by: 'session' }),
      approvals: await store.approvals(),
      decisions: decisions.map(({ event }) => `${event.session} ${event.seq}`).toSorted(),
      seen: (await store.attention()).items.map(({ id, kind }) => `${kind} ${id}`),
    };
  };

  beforeAll(async () => {
    [postgres, s3] = await Promise.all([openPostgres(), startS3Server(seaweed.program!)]);
    stack.use(postgres);
    stack.use(s3);
    server = stack.use(await startServer(SCRIPT));
    place = stack.use(createTestHome());
    services = { database: await postgres.createDatabase(), bucket: await s3.createBucket() };
  }, 240_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  test('sessions move to a cluster and back: logs, queries and chains are the same, and they continue', async () => {
    const ids: Record<'asked' | 'large' | 'plain', string> = { asked: '', large: '', plain: '' };
    let before: Awaited<ReturnType<typeof readView>>;
    {
      await using klaus = await openHome(place.home);
      ids.asked = await begin(klaus, 'Please write it.', 'ask');
      ids.large = await begin(klaus, 'Print much.');
      ids.plain = await begin(klaus, 'Say it.');
      before = await readView(klaus.store);
      expect(before.approvals.map(({ session }) => session)).toEqual([ids.asked]);
    }
    const planned = await run(place.home, '--to', 'cluster', '--dry-run');
    expect(planned).toMatchObject({ code: 0, sum: { copied: 3, dryRun: true } });
    const moved = await run(place.home, '--to', 'cluster');
    expect(moved, moved.stderr).toMatchObject({ code: 0, sum: { copied: 3, failed: 0 } });
    expect(moved.rows.map(({ missingStates }) => missingStates)).toEqual([0, 0, 0]);
    expect(moved.rows.find(({ session }) => session === ids.large)!.states).toBeGreaterThan(0);
    expect(moved.rows.find(({ session }) => session === ids.large)).toMatchObject({ blobs: 1 });

    await using node = await openNode();
    expect(await readView(node.store)).toEqual(before);
    expect(await node.store.audit()).toMatchObject({ intact: true });
    const verified = await runKlaus(['audit', 'verify', '--json'], toProgram(place.home));
    expect(verified).toMatchObject({ code: 0 });
    const refused = await runKlaus(['run', '--session', ids.plain, 'Again.'], toProgram(place.home));
    expect(refused.code, refused.stderr).toBe(2);
    expect(refused.stderr).toContain(new URL(services.database).port);

    // The approval is given in the cluster, where the states of the other machine are restored.
    const [question] = await node.approvals();
    await node.answer(question!.id, 'approved');
    await node.prepare(ids.asked);
    expect(await node.handle(ids.asked).advance()).toMatchObject({ finished: { outcome: 'done' } });
    expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('a.txt\n');

    expect(await run(place.home, '--to', 'cluster')).toMatchObject({
      code: 0,
      sum: { skipped: 3, copied: 0, events: 0 },
    });
    const after = await readView(node.store);
    const home = join(stack.use(createTestHome()).home);
    mkdirSync(home, { mode: 0o700 });
    const back = await run(home, '--from', 'cluster');
    expect(back, back.stderr).toMatchObject({ code: 0, sum: { copied: 3, failed: 0 } });
    expect(await node.store.audit()).toMatchObject({ intact: true });
    {
      await using klaus = await openHome(home);
      expect(await readView(klaus.store)).toEqual(after);
      expect(await klaus.store.audit()).toMatchObject({ intact: true });
      expect((await klaus.store.readBlob((await blobOf(klaus, ids.large))!))!.length).toBeGreaterThan(100_000);
      const session = klaus.handle(ids.plain);
      await session.prompt('Say it again.');
      expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
      expect(await klaus.handle(ids.asked).restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({
        done: true,
      });
      expect(existsSync(join(place.workspace, 'a.txt'))).toBe(false);
    }
    await expect(node.handle(ids.plain).advance()).rejects.toMatchObject({ code: 'session.moved' });
  });

  test('a copy that is killed continues, and nothing is doubled', { tags: ['long'] }, async () => {
    const { home } = stack.use(createTestHome());
    const ids = Array.from({ length: 24 }, (_, at) => `K${String(at).padStart(2, '0')}`);
    {
      using store = createSqliteStore({ home });
      for (const id of ids) await addSession(store, id, [...toSampleDrafts(), ...toSampleDrafts().slice(1)]);
      for (const id of ids) await store.send(id, { type: 'cancel', id: 'waits' });
    }
    const words = ['db', 'copy', '--json', '--to', 'cluster'];
    const killed = startKlaus(words, toProgram(home));
    await killed.printed('stdout', '"K05"');
    killed.kill('SIGKILL');
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
    const count = async (): Promise<number> => {
      const text = "SELECT count(*)::int AS count FROM heads WHERE session_id LIKE 'K%' AND seq > 0";
      return (await postgres.query<{ count: number }>(text, [], services.database))[0]!.count;
    };
    expect(await count()).toBeGreaterThan(4);
    const second = await run(home, '--to', 'cluster');
    expect(second, second.stderr).toMatchObject({ code: 0, sum: { failed: 0, busy: 0 } });
    expect(second.sum!['copied']).toBeGreaterThan(0);
    expect(await count()).toBe(ids.length);
    await using node = await openNode();
    using store = createSqliteStore({ home });
    for (const id of ids) {
      expect(await Array.fromAsync(node.store.texts(id))).toEqual(await Array.fromAsync(store.texts(id)));
      expect(await node.store.inbox(id)).toMatchObject([{ id: 'waits' }]);
      await expect(store.claim(id)).rejects.toMatchObject({ code: 'session.moved' });
      await (await node.store.claim(id))!.release();
    }
    expect(await node.store.audit()).toMatchObject({ intact: true });
    expect(await store.audit()).toMatchObject({ intact: true });
  });

  test(
    'a session with other records is an error of its own, and a wrong call says what is missing',
    { tags: ['long'] },
    async () => {
      const { home } = stack.use(createTestHome());
      {
        using store = createSqliteStore({ home });
        for (const id of ['D1', 'D2']) await addSession(store, id, toSampleDrafts());
      }
      await using node = await openNode();
      await addSession(node.store, 'D1', toOpened(1));
      const { code, rows } = await run(home, '--to', 'cluster');
      expect(code).toBe(1);
      expect(rows.map(({ session, outcome, error }) => [session, error?.code ?? outcome])).toEqual([
        ['D1', 'session.differs'],
        ['D2', 'copied'],
      ]);
      expect(await run(home)).toMatchObject({ code: 2 });
      expect(await run(home, '--to', 'cluster', '--from', 'cluster')).toMatchObject({ code: 2 });
      expect(await run(home, '--to', 'cluster', '--session', 'none')).toMatchObject({ code: 2 });
      const missing = await runKlaus(['db', 'copy', '--to', 'cluster'], { place, server });
      expect(missing.code).toBe(3);
      expect(missing.stderr).toContain('KLAUS_CLUSTER_POSTGRES_URL');
      expect(missing.stderr).toContain('KLAUS_CLUSTER_BUCKET');
      expect(missing.stderr).not.toContain('TEMPORAL');
    },
  );
});

async function blobOf(klaus: Klaus, session: string): Promise<string | undefined> {
  const calls = await klaus.store.eventsOf(session, ['tool.finished']);
  return calls.find(({ blob }) => blob)?.blob?.hash;
}
