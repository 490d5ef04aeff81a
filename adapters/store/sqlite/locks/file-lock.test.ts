import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toNotice } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { createSqliteStore } from '../sqlite-store.ts';

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
