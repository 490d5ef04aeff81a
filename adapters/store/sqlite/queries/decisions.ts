import type { DecisionFilter, DecisionRow } from '@klaus/core/agent';
import type { Database } from '../database.ts';
import { fromEventRow } from '../log/record.ts';

/**
 * Decisions of the gate over all sessions, in the order in which they were written.
 *
 * @throws KlausError `store.corrupt` for an invalid record.
 */
export function* readDecisions(
  database: Database,
  filter: DecisionFilter = {},
): Generator<DecisionRow, void, undefined> {
  const { session = null, since = 0, denied = false } = filter;
  const sql = `SELECT id, session_id AS session, seq, record FROM events
    WHERE id > ?1 AND type = 'gate.decided' AND (?3 IS NULL OR session_id = ?3) ORDER BY id LIMIT ?2`;
  type Row = { id: number; session: string; seq: number; record: string };
  for (const row of database.pages<Row>(sql, { key: 'id', after: 0 }, session)) {
    const event = fromEventRow(database, row);
    if (event.type !== 'gate.decided' || event.at < since || (denied && event.verdict === 'allow')) continue;
    const input = readInput(database, event.session, event.call);
    yield { event, input: input === undefined ? undefined : (JSON.parse(input) as unknown) };
  }
}

/** The input of a call as JSON. Providers assign the ids: if one occurs twice in a session, the newest call is meant. */
export function readInput(database: Database, session: string, call: string): string | undefined {
  const sql = 'SELECT input FROM tool_calls WHERE session_id = ? AND tool_call_id = ? ORDER BY id DESC LIMIT 1';
  return database.get<{ input: string }>(sql, session, call)?.input;
}
