import type { DecisionFilter, DecisionRow } from '@klaus/core/agent';
import type { EventOf } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { fromRecord } from '../log/record.ts';

const PAGE = 128;

/**
 * Decisions of the gate over all sessions, in the order in which they were written.
 *
 * @throws KlausError `store.corrupt` for a record that is none.
 */
export function* readDecisions(
  database: Database,
  filter: DecisionFilter = {},
): Generator<DecisionRow, void, undefined> {
  const { session = null, since = 0, denied = false } = filter;
  const sql = `SELECT id, session_id AS session, seq, record FROM events
    WHERE id > ?1 AND type = 'gate.decided' AND (?2 IS NULL OR session_id = ?2) ORDER BY id LIMIT ?3`;
  for (let last = 0; ;) {
    const rows = database.all<{ id: number; session: string; seq: number; record: string }>(sql, last, session, PAGE);
    for (const row of rows) {
      last = row.id;
      const place = `record ${row.seq} of session ${row.session}`;
      const event = fromRecord(row.record, { file: database.file, place });
      if (event.type !== 'gate.decided' || event.at < since || (denied && event.verdict === 'allow')) continue;
      yield { event, input: readInput(database, event) };
    }
    if (rows.length < PAGE) return;
  }
}

function readInput(database: Database, { session, call }: EventOf<'gate.decided'>): unknown {
  // Ids are the provider's: should one come twice in a session, the newest call is meant.
  const sql = 'SELECT input FROM tool_calls WHERE session_id = ? AND tool_call_id = ? ORDER BY id DESC LIMIT 1';
  const row = database.get<{ input: string }>(sql, session, call);
  return row && (JSON.parse(row.input) as unknown);
}
