import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Draft } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { addSession, DAY, toOpened } from '../../fixtures/add-session.ts';
import { START, toNotice, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { startStoreProcess } from '../../fixtures/store-process.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore } from '../sqlite-store.ts';

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
