import type { Draft } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { addSession } from '../../fixtures/add-session.ts';
import { START, toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { toDatabaseFile } from '../open-database.ts';
import { createSqliteStore } from '../sqlite-store.ts';

const say = (text: string, origin: 'user' | 'steer'): Draft => ({
  type: 'message.added',
  run: 'run-1',
  turn: 0,
  message: { id: text.slice(0, 9), role: 'user', origin, parts: [{ type: 'text', text }] },
  at: START,
});

test('a database from before the columns gets what the projection computes, and a rebuild the same', async () => {
  using home = createTemporaryHome();
  const [opened] = toSampleDrafts();
  const forked = { session: 'A', seq: 1, head: 'a'.repeat(64), root: 'A', settled: 0 };
  {
    using store = createSqliteStore({ home: home.path });
    await addSession(store, 'A', [
      opened!,
      say('Look at it', 'steer'),
      say(`🧮 ${'x'.repeat(300)}`, 'user'),
      say('Then', 'user'),
    ]);
    await addSession(store, 'B', [{ ...opened!, forked } as Draft]);
  }
  const database = new Database(toDatabaseFile(home.path));
  const read = () =>
    database.all<object>('SELECT id, first_prompt, forked_from FROM sessions ORDER BY id').map((row) => ({ ...row }));
  const expected = [
    { id: 'A', first_prompt: `🧮 ${'x'.repeat(198)}`, forked_from: null },
    { id: 'B', first_prompt: null, forked_from: 'A' },
  ];
  expect(read()).toEqual(expected);
  database.exec(`ALTER TABLE sessions DROP COLUMN first_prompt; ALTER TABLE sessions DROP COLUMN forked_from;
    CREATE INDEX idx_messages_prompts ON messages(session_id, id) WHERE origin = 'user';
    DELETE FROM migrations WHERE name = 'm016-listing'`);
  {
    using store = createSqliteStore({ home: home.path });
    expect(read()).toEqual(expected);
    expect((await store.audit()).intact).toBe(true);
    await store.rebuild();
    expect(read()).toEqual(expected);
    expect(await store.sessions()).toMatchObject([
      { id: 'B', firstPrompt: null, forkedFrom: 'A' },
      { id: 'A', firstPrompt: expected[0]!.first_prompt, forkedFrom: null },
    ]);
  }
  database.close();
});
