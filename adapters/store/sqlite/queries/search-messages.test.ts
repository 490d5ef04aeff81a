import type { Draft } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import type { SqliteStore } from '../sqlite-store.ts';
import { createSqliteStore } from '../sqlite-store.ts';

const [OPENED] = toSampleDrafts();

async function addMessages(store: SqliteStore, id: string, texts: readonly string[]): Promise<void> {
  const lease = (await store.claim(id))!;
  const said = texts.map((text, at): Draft => ({
    type: 'message.added',
    run: 'R',
    turn: 0,
    message: { id: `${id}-${at}`, role: 'user', origin: 'user', parts: [{ type: 'text', text }] },
    at: OPENED!.at + at,
  }));
  await store.append(id, ((await store.head(id))?.seq ?? 0) > 0 ? said : [OPENED!, ...said], { lease });
  await lease.release();
}

const search = async (store: SqliteStore, ...words: string[]) =>
  (await store.searchMessages({ words, limit: 10 })).map(({ session, seq }) => `${session} ${seq}`);

test('messages are found by their words in every session, also those written since, and by their place in the log', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addMessages(store, 'S1', ['The café is closed', 'nothing']);
  await addMessages(store, 'S2', ['Two bridges over the river']);
  expect(await search(store, 'cafe')).toEqual(['S1 2']);
  expect(await search(store, 'bridg', 'river')).toEqual(['S2 2']);
  expect(await search(store, 'bridge', 'closed')).toEqual([]);
  await addMessages(store, 'S1', ['A river too']);
  expect((await search(store, 'river')).toSorted()).toEqual(['S1 4', 'S2 2']);
  expect(await search(store)).toEqual([]);
});

test('what is deleted is found no more, and a rebuild changes nothing', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addMessages(store, 'S1', ['a river']);
  await addMessages(store, 'S2', ['another river']);
  expect(await search(store, 'river')).toHaveLength(2);
  await store.clearSessions({ ids: ['S1'] });
  expect(await search(store, 'river')).toEqual(['S2 2']);
  await store.rebuild();
  expect(await search(store, 'river')).toEqual(['S2 2']);
  await addMessages(store, 'S3', ['a third river']);
  expect((await search(store, 'river')).toSorted()).toEqual(['S2 2', 'S3 2']);
});

test('says which sessions changed since, whoever wrote, and that something did', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addMessages(store, 'S1', ['one']);
  const { mark, sessions } = store.view.changedSessions();
  expect(sessions).toEqual([]);
  let noticed = 0;
  const stop = store.view.watch(() => (noticed += 1));
  await addMessages(store, 'S2', ['two']);
  await store.send('S1', { type: 'cancel', id: 'C1' });
  expect(store.view.changedSessions(mark).sessions.toSorted()).toEqual(['S1', 'S2']);
  expect(noticed).toBe(2);
  const later = store.view.changedSessions(mark).mark;
  expect(store.view.changedSessions(later).sessions).toEqual([]);
  stop();
  await addMessages(store, 'S2', ['three']);
  expect(noticed).toBe(2);
});

test('sessions are ordered and chosen by what a list asks for, page by page', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  for (const [id, title, workspace] of [
    ['S1', 'beta', '/a'],
    ['S2', 'Alpha', '/b'],
    ['S3', 'gamma', '/a'],
  ] as const) {
    const lease = (await store.claim(id))!;
    const opened = { ...OPENED!, workspace } as Draft;
    await store.append(id, [opened, { type: 'session.changed', title, at: OPENED!.at }], { lease });
    await lease.release();
  }
  const ids = async (filter: Parameters<SqliteStore['sessions']>[0]) =>
    (await store.sessions(filter)).map(({ id }) => id);
  const byTitle = { sort: 'title', order: 'asc' } as const;
  expect(await ids(byTitle)).toEqual(['S2', 'S1', 'S3']);
  expect(await ids({ ...byTitle, limit: 1 })).toEqual(['S2']);
  expect(await ids({ ...byTitle, limit: 5, before: 'S2' })).toEqual(['S1', 'S3']);
  expect(await ids({ workspace: '/a', sort: 'created', order: 'asc' })).toEqual(['S1', 'S3']);
});
