import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startStoreProcess } from '../../fixtures/store-process.ts';
import { toNotice } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore } from '../sqlite-store.ts';

test('a session is held by one claim at a time, also within one process', () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  using other = createSqliteStore({ home: home.path });
  const lease = store.claim('A')!;
  expect(store.claim('A')).toBeUndefined();
  expect(other.claim('A')).toBeUndefined();
  expect(other.isClaimed('A')).toBe(true);
  expect(other.claim('B')).toBeDefined();
  lease.release();
  lease.release();
  expect(other.isClaimed('A')).toBe(false);
  const next = other.claim('A')!;
  expect(next.fence).toBeGreaterThan(lease.fence);
  // The old lease is spent: giving it back again does not free what somebody else now holds.
  lease.release();
  expect(store.claim('A')).toBeUndefined();
});

test('a live process keeps its session from others, and SIGKILL frees it at once', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await using holder = startStoreProcess(home.path);
  expect(await holder.ask('claim A')).toBe('fence 1');
  expect(await holder.ask('append A 3')).toBe('appended');
  expect(store.claim('A')).toBeUndefined();
  expect(store.isClaimed('A')).toBe(true);

  await holder.kill();
  const lease = store.claim('A')!;
  expect(lease.fence).toBe(2);
  await store.append('A', [toNotice('mine')], { lease });
  expect([...store.read('A')].map((event) => event.seq)).toEqual([1, 2, 3, 4]);

  await using late = startStoreProcess(home.path);
  expect(await late.ask('claim A')).toBe('refused');
  lease.release();
  expect(await late.ask('claim A')).toBe('fence 3');
});

test('lock files stay while a session can go on, and go with its end', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const file = join(home.path, 'locks', 'A.lock');
  const lease = store.claim('A')!;
  await store.append('A', [toNotice('1')], { lease });
  lease.release();
  expect(existsSync(file)).toBe(true);
  const last = store.claim('A')!;
  await store.append('A', [{ type: 'session.closed', reason: 'done', at: 1 }], { lease: last });
  last.release();
  store.claim('never-opened')!.release();
  expect(readdirSync(join(home.path, 'locks'))).toEqual([]);
});

test('a session id that is no file name is refused', () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  for (const id of ['../evil', '', 'a/b', '.hidden']) {
    expect(() => store.claim(id)).toThrow(expect.objectContaining({ code: 'usage' }));
  }
});
