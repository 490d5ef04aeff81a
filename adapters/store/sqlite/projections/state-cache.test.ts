import { createState, fold, FOLD_VERSION, loadState, type Draft, type State } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { toDatabaseFile } from '../open-database.ts';
import { createSqliteStore, type SqliteStore } from '../sqlite-store.ts';

/** A log with a call under way, questions, a compaction and a run that ended. */
const DRAFTS: Draft[] = [...toSampleDrafts(), ...toSampleDrafts().slice(1, 12)];

function foldWhole(store: SqliteStore, session: string): State {
  const state = createState();
  for (const event of store.view.events(session)) fold(state, event);
  return state;
}

async function addSession(store: SqliteStore, session: string): Promise<void> {
  const lease = (await store.claim(session))!;
  await store.append(session, DRAFTS, { lease });
  await store.stateCache!.write(lease, { state: foldWhole(store, session), version: FOLD_VERSION });
  await lease.release();
}

function change(home: string, sql: string): void {
  const database = new Database(toDatabaseFile(home));
  database.exec(sql);
  database.close();
}

test('from wherever a state is kept, the rest of the log comes to the same', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  for (const [at, draft] of DRAFTS.entries()) {
    await store.append('A', [draft], { lease });
    // Every third one is kept, so that some are followed by more events than others.
    if (at % 3 === 0) {
      await store.stateCache!.write(lease, { state: await loadState({ store }, 'A'), version: FOLD_VERSION });
      expect(await store.stateCache!.seqOf('A')).toBe(at + 1);
    }
    expect(await loadState({ store }, 'A'), `after ${at + 1} events`).toEqual(foldWhole(store, 'A'));
  }
  expect(await store.verify('A')).toEqual({ intact: true, records: DRAFTS.length });
});

test('what is kept is read for its caller alone', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'A');
  (await loadState({ store }, 'A')).messages.length = 0;
  expect(await loadState({ store }, 'A')).toEqual(foldWhole(store, 'A'));
});

test('a state of another fold, or of a log that reads otherwise, is as good as none', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'A');
  expect(await store.stateCache!.read('A', FOLD_VERSION)).toBeDefined();
  expect(await store.stateCache!.read('A', 'another')).toBeUndefined();
  change(home.path, `UPDATE checkpoints SET state = zeroblob(length(state))`);
  expect(await store.stateCache!.read('A', FOLD_VERSION)).toBeUndefined();
  expect(await loadState({ store }, 'A')).toEqual(foldWhole(store, 'A'));
  await addSession(store, 'B');
  const { seq } = (await store.head('B'))!;
  change(home.path, `UPDATE events SET record = replace(record, '}', ' }') WHERE session_id = 'B' AND seq = ${seq}`);
  expect(await store.stateCache!.read('B', FOLD_VERSION)).toBeUndefined();
});

test('a kept state that somebody altered with its digest is found when the log is verified', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'A');
  const lease = (await store.claim('A'))!;
  const state = await loadState({ store }, 'A');
  state.grant = { authorities: [{ kind: 'exec' }] };
  await store.stateCache!.write(lease, { state, version: FOLD_VERSION });
  await lease.release();
  expect(await store.verify('A')).toMatchObject({ intact: false, seq: DRAFTS.length, problem: 'altered' });
  expect((await store.audit()).sessions).toMatchObject([{ session: 'A', report: { intact: false } }]);
});

test('only the holder keeps a state, and only the newest', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  await store.append('A', DRAFTS, { lease });
  const state = await loadState({ store }, 'A');
  await store.append('A', [{ type: 'notice', level: 'info', text: 'more', at: 1 }], { lease });
  await store.stateCache!.write(lease, { state, version: FOLD_VERSION });
  expect(await store.stateCache!.seqOf('A')).toBe(0);
  await lease.release();
  await store.claim('A');
  await store.stateCache!.write(lease, { state: await loadState({ store }, 'A'), version: FOLD_VERSION });
  expect(await store.stateCache!.seqOf('A')).toBe(0);
});

test('a session that is cleared leaves no state behind', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'A');
  await store.clearSessions({ ids: ['A'] });
  expect(await store.stateCache!.seqOf('A')).toBe(0);
});
