// Covers core/protocol/events, adapters/store/sqlite/log: a stored log of event version 2 is verified, exported and shown with `freshness`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_VERSION } from '@klaus/core/protocol';
import type { Event } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { Database } from '../../adapters/store/sqlite/database.ts';
import { appendHostRecord } from '../../adapters/store/sqlite/log/host-chain.ts';
import { toHash } from '../../adapters/store/sqlite/log/record.ts';
import { toDatabaseFile } from '../../adapters/store/sqlite/open-database.ts';
import { createSqliteStore } from '../../adapters/store/sqlite/sqlite-store.ts';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const FIXTURE = join(import.meta.dirname, '../../adapters/store/fixtures/checks-v2.ndjson');

/** Writes the log into the database of a home, with the host chain's record of it, and returns the id of its session. */
async function putLog({ home }: TestHome): Promise<string> {
  await createSqliteStore({ home }).close();
  const lines = readFileSync(FIXTURE, 'utf8').trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line) as Event);
  const { session, seq, at } = events.at(-1)!;
  const database = new Database(toDatabaseFile(home));
  for (const [index, event] of events.entries()) {
    const row = [session, event.seq, event.type, lines[index]!];
    database.run('INSERT INTO events (session_id, seq, type, record) VALUES (?, ?, ?, ?)', ...row);
  }
  const head = toHash(lines.at(-1)!);
  database.run('INSERT INTO heads (session_id, seq, hash, fence) VALUES (?, ?, ?, 1)', session, seq, head);
  const body = { type: 'session.anchored', session, records: seq, head, after: 'run.finished' } as const;
  appendHostRecord(database, { body, at, redact: undefined });
  database.close();
  using store = createSqliteStore({ home });
  await store.rebuild();
  return session;
}

test('a session of event version 2 is verified, exported and shown with the freshness of its checks', async () => {
  using place = createTestHome();
  const session = await putLog(place);
  const audit = await runKlaus(['audit', 'verify', session, '--json'], { place });
  expect(audit.code).toBe(0);
  expect(JSON.parse(audit.stdout)).toMatchObject({ intact: true, sessions: [{ session, report: { records: 39 } }] });

  const exported = await runKlaus(['export', session, '--format', 'json'], { place });
  expect(exported.code).toBe(0);
  const { events } = JSON.parse(exported.stdout) as { events: Event[] };
  expect(ofType(events, 'run.finished')).toMatchObject([
    { v: EVENT_VERSION, evidence: [{ freshness: 'stale' }, { freshness: 'fresh' }] },
  ]);
  expect(exported.stdout).not.toContain('standing');

  const shown = await runKlaus(['show', session], { place });
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('src/subtract.js') });
});
