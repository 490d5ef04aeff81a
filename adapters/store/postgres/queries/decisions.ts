import type { DecisionFilter, DecisionRow } from '@klaus/core/agent';
import type { Sql } from '../database.ts';
import { Conditions } from './conditions.ts';
import { type EventRow, toEvent } from './events.ts';

/** Rows of one page. */
const PAGE = 128;

/**
 * Decisions of the gate over all sessions, in the order in which they were written, read in pages.
 *
 * @throws KlausError `store.corrupt` for an invalid record.
 */
export async function* readDecisions(
  sql: Sql,
  filter: DecisionFilter = {},
): AsyncGenerator<DecisionRow, void, undefined> {
  const { session, since = 0, denied = false } = filter;
  for (let after = 0; ;) {
    const where = new Conditions();
    where.add((place) => `id > ${place(after)} AND type = 'gate.decided'`);
    if (session !== undefined) where.add((place) => `session_id = ${place(session)}`);
    const text = `SELECT id, session_id AS session, seq, record FROM events
      ${where.text()} ORDER BY id LIMIT ${PAGE}`;
    const rows = await sql.all<EventRow & { id: number }>(text, where.values);
    for (const row of rows) {
      const event = toEvent(row);
      if (event.type !== 'gate.decided' || event.at < since || (denied && event.verdict === 'allow')) continue;
      const input = await readInput(sql, event.session, event.call);
      yield { event, input: input === undefined ? undefined : (JSON.parse(input) as unknown) };
    }
    if (rows.length < PAGE) return;
    after = rows.at(-1)!.id;
  }
}

/** The input of a call as JSON. Providers assign the ids: if one occurs twice in a session, the newest call is meant. */
export async function readInput(sql: Sql, session: string, call: string): Promise<string | undefined> {
  const text = 'SELECT input FROM tool_calls WHERE session_id = $1 AND tool_call_id = $2 ORDER BY id DESC LIMIT 1';
  return (await sql.get<{ input: string }>(text, [session, call]))?.input;
}
