import type { Draft } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { addSession, toOpened } from '../../fixtures/add-session.ts';
import { START, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { toDatabaseFile } from '../open-database.ts';
import { createSqliteStore } from '../sqlite-store.ts';

const DRAFTS = toSampleDrafts();
const pick = (type: Draft['type']): Draft => DRAFTS.find((draft) => draft.type === type)!;
const ENDED = [pick('session.opened'), pick('run.started'), pick('message.added'), pick('run.finished')];

test(
  'of 10,000 sessions all are counted, and as many listed as are asked for',
  { timeout: 120_000, tags: ['long'] },
  async () => {
    using home = createTemporaryHome();
    using store = createSqliteStore({ home: home.path });
    const add = async (id: string) => {
      const lease = (await store.claim(id))!;
      await store.append(id, ENDED, { lease });
      await lease.release();
    };
    const ids = Array.from({ length: 10_000 }, (_, at) => `S${String(at).padStart(5, '0')}`);
    for (let at = 0; at < ids.length; at += 500) await Promise.all(ids.slice(at, at + 500).map(add));
    const all = await store.attention();
    expect(all.counts).toEqual({ answer: 0, failed: 10_000, done: 0 });
    expect(all.items.map(({ session }) => session)).toEqual(ids.slice(0, 200));

    await Promise.all(ids.slice(5).map((session) => store.markSeen({ session, seq: 4 })));
    const left = await store.attention();
    expect(left.counts.failed).toBe(5);
    expect(left.items.map(({ session }) => session)).toEqual(ids.slice(0, 5));
  },
);

test('what ended before the lists existed counts as seen, and the projection is that of the log', async () => {
  using home = createTemporaryHome();
  {
    using store = createSqliteStore({ home: home.path });
    await addSession(store, 'A', ENDED);
    await addSession(store, 'B', toOpened(START));
    const [opened, ...others] = ENDED;
    await addSession(store, 'C', [{ ...opened!, parent: { session: 'A', call: 'c' } } as Draft, ...others]);
  }
  const database = new Database(toDatabaseFile(home.path));
  const read = () => database.all<object>('SELECT id, ended_seq FROM sessions ORDER BY id').map((row) => ({ ...row }));
  const before = read();
  expect(before).toEqual([
    { id: 'A', ended_seq: 4 },
    { id: 'B', ended_seq: null },
    { id: 'C', ended_seq: null },
  ]);
  database.exec(`DROP INDEX idx_sessions_ended; DROP INDEX idx_sessions_running; DROP TABLE attention_seen;
    DROP TABLE notification_claims; ALTER TABLE sessions DROP COLUMN ended_seq;
    DELETE FROM migrations WHERE name = 'm015-attention'`);
  {
    using store = createSqliteStore({ home: home.path });
    expect((await store.attention()).items).toEqual([]);
    expect(read()).toEqual(before);
    await store.rebuild();
    expect(read()).toEqual(before);
    expect((await store.attention()).items).toEqual([]);
  }
  database.close();
});
