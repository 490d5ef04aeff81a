// Covers adapters/store/sqlite/queries: states and logs of sessions that are read without the engine.
import type { Draft } from '@klaus/core/agent';
import { EVENT_VERSION } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { addSession } from '../../fixtures/add-session.ts';
import { toSampleDrafts } from '../../fixtures/sample-events.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { Database } from '../database.ts';
import { MIGRATIONS } from '../migrations/migrate.ts';
import { toDatabaseFile } from '../open-database.ts';
import { createSqliteStore } from '../sqlite-store.ts';
import { CURRENT_VERSION } from './session-events.ts';
import { LATEST_MIGRATION, openSessionStates } from './session-states.ts';

const DRAFTS = toSampleDrafts();

test('the versions that are read without the engine are those of the engine', () => {
  expect(LATEST_MIGRATION).toBe(MIGRATIONS.at(-1)!.name);
  expect(CURRENT_VERSION).toBe(EVENT_VERSION);
});

test('the short list has the order and the values of the complete one', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  const untitled = DRAFTS.filter(({ type }) => type !== 'session.changed' && !type.startsWith('approval.'));
  const [opened] = DRAFTS;
  const drafts: Record<string, Draft[]> = {
    '01A0': DRAFTS,
    '01A1': [opened!],
    '01B0': untitled,
    '01B1': [{ ...opened!, agent: 'reviewer', parent: { session: '01A0', call: 'c' } } as Draft],
    '01C0': untitled.map((draft) => (draft.type === 'run.finished' ? { ...draft, outcome: 'done' } : draft)),
  };
  for (const [id, log] of Object.entries(drafts)) await addSession(store, id, log);
  using states = openSessionStates(home.path)!;
  const complete = states.list();
  expect(new Set(complete.map(({ state }) => state))).toEqual(new Set(['needs-you', 'idle', 'failed', 'done']));
  const short = states.listShort({}, (session) => session);
  expect(short).toEqual(
    complete.map(
      ({ id, state, agent, costUsd, title, workspace, parent, forkedFrom, outcome, updatedAt, firstPrompt }) => ({
        ...{ id, state, agent, costUsd, title, workspace, parent, forkedFrom, outcome, updatedAt },
        firstPrompt: title === null ? firstPrompt : null,
      }),
    ),
  );
  expect(states.list({ limit: 2 })).toEqual(complete.slice(0, 2));
  expect(states.listShort({ limit: 2 }, ({ id }) => id)).toEqual(complete.slice(0, 2).map(({ id }) => id));
  expect(states.get(['01C0', 'none', '01A0']).map(({ id }) => id)).toEqual(['01C0', '01A0']);
});

test('an id is found by its beginning, ignoring case', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  for (const id of ['01AB', '01AB2', '01AC']) await addSession(store, id, [DRAFTS[0]!]);
  using states = openSessionStates(home.path)!;
  expect(states.match('01a')).toEqual(['01AB', '01AB2', '01AC']);
  expect(states.match('01ac')).toEqual(['01AC']);
  expect(states.match('01AB')).toEqual(['01AB']);
  expect(states.match('01B')).toEqual([]);
  expect(states.match('')).toEqual([]);
});

test('the events are those of the engine, which reads what has another version or is damaged', async () => {
  using home = createTemporaryHome();
  using store = createSqliteStore({ home: home.path });
  await addSession(store, 'A', DRAFTS);
  const events = (await Array.fromAsync(store.read('A'))).flat();
  using states = openSessionStates(home.path)!;
  expect(states.events('A', 0)).toEqual(events);
  expect(states.events('A', events.length - 2)).toEqual(events.slice(-2));
  expect(states.events('A', events.length)).toEqual([]);
  const database = new Database(toDatabaseFile(home.path));
  const last = (sql: string) =>
    database.run(`UPDATE events SET ${sql} WHERE session_id = 'A' AND seq = ?`, events.length);
  last(`record = replace(record, '{"v":${EVENT_VERSION},', '{"v":2,')`);
  expect(states.events('A', 0)).toBeUndefined();
  last(`record = 'x'`);
  expect(states.events('A', 0)).toBeUndefined();
  database.run("DELETE FROM events WHERE session_id = 'A' AND seq = 2");
  expect(states.events('A', 1)).toBeUndefined();
  database.close();
});
