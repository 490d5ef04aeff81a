import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startStoreProcess } from '../../fixtures/store-process.ts';
import { toNotice } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore } from '../sqlite-store.ts';

test('a session is held by one claim at a time, also within one process', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  using other = createSqliteStore({ home: home.path });
  const lease = (await store.claim('A'))!;
  expect(await store.claim('A')).toBeUndefined();
  expect(await other.claim('A')).toBeUndefined();
  expect(await other.isClaimed('A')).toBe(true);
  expect(await other.claim('B')).toBeDefined();
  await lease.release();
  await lease.release();
  expect(await other.isClaimed('A')).toBe(false);
  const next = (await other.claim('A'))!;
  expect(next.fence).toBeGreaterThan(lease.fence);
  // The old lease is spent: giving it back again does not free what somebody else now holds.
  await lease.release();
  expect(await store.claim('A')).toBeUndefined();
});

test('a live process keeps its session from others, and SIGKILL frees it at once', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await using holder = startStoreProcess(home.path);
  expect(await holder.ask('claim A')).toBe('fence 1');
  expect(await holder.ask('append A 3')).toBe('appended');
  expect(await store.claim('A')).toBeUndefined();
  expect(await store.isClaimed('A')).toBe(true);

  await holder.kill();
  const lease = (await store.claim('A'))!;
  expect(lease.fence).toBe(2);
  await store.append('A', [toNotice('mine')], { lease });
  expect([...store.view.events('A')].map((event) => event.seq)).toEqual([1, 2, 3, 4]);

  await using late = startStoreProcess(home.path);
  expect(await late.ask('claim A')).toBe('refused');
  await lease.release();
  expect(await late.ask('claim A')).toBe('fence 3');
});

test('lock files stay while a session can go on, and go with its end', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const file = join(home.path, 'locks', 'A.lock');
  const lease = (await store.claim('A'))!;
  await store.append('A', [toNotice('1')], { lease });
  await lease.release();
  expect(existsSync(file)).toBe(true);
  const last = (await store.claim('A'))!;
  await store.append('A', [{ type: 'session.closed', reason: 'done', at: 1 }], { lease: last });
  await last.release();
  await (await store.claim('never-opened'))!.release();
  expect(readdirSync(join(home.path, 'locks'))).toEqual([]);
});

test('a session id that is no file name is refused', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  for (const id of ['../evil', '', 'a/b', '.hidden']) {
    await expect(store.claim(id)).rejects.toMatchObject({ code: 'usage' });
  }
});
