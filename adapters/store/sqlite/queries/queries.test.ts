import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Draft } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { START, toNotice, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { startStoreProcess } from '../../fixtures/store-process.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import type { SqliteStore } from '../sqlite-store.ts';

const DAY = 86_400_000;

async function addSession(store: SqliteStore, id: string, drafts: Draft[]): Promise<void> {
  const lease = (await store.claim(id))!;
  await store.append(id, drafts, { lease });
  await lease.release();
}

/** An open session, at a moment of its own. */
function toOpened(at: number, change: { workspace?: string; title?: string; parent?: string } = {}): Draft[] {
  const [opened] = toSampleDrafts();
  return [
    {
      ...opened,
      at,
      ...(change.workspace && { workspace: change.workspace }),
      ...(change.parent && { parent: { session: change.parent, call: 'c' } }),
    } as Draft,
    { type: 'session.changed', title: change.title ?? 'Untitled', at },
  ];
}

test('sessions are listed newest first, in pages, and found by their words', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'S1', toOpened(START, { title: 'Mend the 100% sum' }));
  await addSession(store, 'S2', toOpened(START + DAY, { workspace: '/srv/shop' }));
  await addSession(store, 'S3', toSampleDrafts());
  await addSession(store, 'S4', toOpened(START + DAY, { title: 'Later' }));
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  expect(ids(await store.sessions())).toEqual(['S4', 'S2', 'S3', 'S1']);
  expect(ids(await store.sessions({ limit: 2 }))).toEqual(['S4', 'S2']);
  expect(ids(await store.sessions({ limit: 2, before: 'S2' }))).toEqual(['S3', 'S1']);
  expect(ids(await store.sessions({ search: 'SHOP' }))).toEqual(['S2']);
  expect(ids(await store.sessions({ search: 'repariere' }))).toEqual(['S3']);
  // A percent sign is a word here, not a pattern.
  expect(ids(await store.sessions({ search: '100%' }))).toEqual(['S1']);
  expect(ids(await store.sessions({ search: '_' }))).toEqual([]);
});

test('a session is found by a unique beginning of its id; a misspelt one has a nearest', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, '01KEAAAA0000000000000000AA', toOpened(START, { title: 'Mend the sum' }));
  await addSession(store, '01KEAABB0000000000000000BB', toOpened(START, { title: 'Write the docs' }));
  expect((await store.session('01keaaaa'))!.title).toBe('Mend the sum');
  expect((await store.session('01KEAABB0000000000000000BB'))!.title).toBe('Write the docs');
  expect(await store.session('02')).toBeUndefined();
  expect(await store.session('')).toBeUndefined();
  await expect(store.session('01KEAA')).rejects.toThrow(/01KEAAAA0000000000000000AA, 01KEAABB0000000000000000BB/);
  expect(await store.nearestSession('01KEAABC')).toBe('01KEAABB0000000000000000BB');
  expect(await store.nearestSession('mend teh sum')).toBe('01KEAAAA0000000000000000AA');
  expect(await store.nearestSession('something else')).toBeUndefined();
  expect(await store.nearestSession('')).toBeUndefined();
});

test('the latest session of a workspace is the one that can go on', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'OLD', toOpened(START));
  await addSession(store, 'NEW', toOpened(START + 1));
  await addSession(store, 'CHILD', toOpened(START + 2, { parent: 'NEW' }));
  await addSession(store, 'CLOSED', [
    ...toOpened(START + 3),
    { type: 'session.closed', reason: 'done', at: START + 3 },
  ]);
  await addSession(store, 'OTHER', toOpened(START + 4, { workspace: '/srv/shop' }));
  expect((await store.latestSession('/home/ada/sum'))!.id).toBe('NEW');
  expect(await store.latestSession('/nowhere')).toBeUndefined();
});

test('open questions of all sessions are listed with what a person needs to answer', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'A', toSampleDrafts());
  await addSession(store, 'B', toSampleDrafts().slice(0, 12));
  expect((await store.approvals({ open: true })).map(({ session, title }) => [session, title])).toEqual([
    ['B', 'Run `npm test`?'],
    ['A', 'Spend up to 4 dollars?'],
  ]);
  expect((await store.approvals({ session: 'A' }))[0]).toEqual({
    id: '01KE00000000000000000000Q1',
    session: 'A',
    sessionTitle: 'Mend the sum',
    workspace: '/home/ada/sum',
    kind: 'call',
    title: 'Run `npm test`?',
    reason: 'The mode asks before every command.',
    toolName: 'run_command',
    diff: '-a - b\n+a + b\n',
    command: 'npm test',
    limitName: null,
    offer: null,
    createdAt: new Date(START + 11).toISOString(),
    expiresAt: START + DAY,
    answer: 'approved',
    answeredBy: 'terminal',
    note: null,
    answeredAt: new Date(START + 12).toISOString(),
  });
  expect(await store.approval('01ke00000000000000000000q2')).toMatchObject({
    limitName: 'usd',
    offer: 4,
    answer: null,
  });
  await expect(store.approval('01KE')).rejects.toThrow(/Several approvals/);
  expect(await store.approval('nothing')).toBeUndefined();
});

test('clearing removes old sessions with all that is theirs, but none that is pinned or held', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const write = async (text: string) => {
    const writer = store.writeBlob();
    writer.write(Buffer.from(text));
    const blob = await writer.finish();
    const path = join(home.path, 'blobs', blob.hash.slice(0, 2), blob.hash);
    utimesSync(path, START / 1_000, START / 1_000);
    return { blob, path };
  };
  const [own, shared] = [await write('own'), await write('shared')];
  const use = (at: number, ...blobs: { blob: { hash: string; size: number } }[]) =>
    blobs.map(({ blob }) => ({ ...toSampleDrafts()[10]!, at, blob }) as Draft);
  await addSession(store, 'OLD', [...toOpened(START), ...use(START, own, shared)]);
  await store.send('OLD', { type: 'cancel', id: 'c' });
  await addSession(store, 'PINNED', [...toOpened(START), { type: 'session.changed', pinned: true, at: START }]);
  await addSession(store, 'NEW', [...toOpened(START + DAY), ...use(START + DAY, shared), toNotice('new', START + DAY)]);
  await addSession(store, 'HELD', toOpened(START));
  await using holder = startStoreProcess(home.path);
  await holder.ask('claim HELD');

  const report = await store.clearSessions({ olderThan: START + 1 });
  expect(report).toEqual({ cleared: ['OLD'], busy: ['HELD'], blobs: { count: 1, bytes: 3 } });
  expect((await store.sessions()).map(({ id }) => id).toSorted()).toEqual(['HELD', 'NEW', 'PINNED']);
  expect([...store.view.events('OLD')]).toEqual([]);
  expect(await store.inbox('OLD')).toEqual([]);
  expect([existsSync(own.path), existsSync(shared.path)]).toEqual([false, true]);
  expect(readdirSync(join(home.path, 'locks')).toSorted()).toEqual(['HELD.lock', 'NEW.lock', 'PINNED.lock']);
  expect((await store.clearSessions({ ids: ['PINNED', 'unknown'] })).cleared).toEqual(['PINNED']);
  expect((await store.stats()).tables.find(({ name }) => name === 'sessions')).toEqual({ name: 'sessions', rows: 2 });
});

test('a blob that no event refers to yet is not swept away', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const { hash } = await store.writeBlob().finish();
  await addSession(store, 'A', toOpened(START));
  expect(await store.clearSessions()).toEqual({ cleared: ['A'], busy: [], blobs: { count: 0, bytes: 0 } });
  expect(await store.readBlob(hash)).toBeDefined();
});
