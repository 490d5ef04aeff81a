import { createDerivedFold, DERIVED, type Row } from '../../sqlite/projections/derived.ts';
import type { Sql } from '../database.ts';
import { readEvents } from '../log/log.ts';

/** Compares the projections with a fold of the log into tables of SQLite in memory. */
export interface DerivedCheck extends Disposable {
  /** The first table that differs for a session; undefined when all match. */
  findAltered(session: string): Promise<string | undefined>;
}

export function createDerivedCheck(sql: Sql): DerivedCheck {
  const folded = createDerivedFold();
  return {
    async findAltered(session) {
      const events = [];
      for await (const event of readEvents(sql, session, 0)) events.push(event);
      const first = await sql.get<{ type: string; record: string }>(
        'SELECT type, record FROM events WHERE session_id = $1 AND seq = 1',
        [session],
      );
      folded.fold(session, first, events);
      for (const { table, key } of DERIVED) {
        const stored = await sql.all<Row>(`SELECT * FROM ${table} WHERE ${key} = $1 ORDER BY id`, [session]);
        if (!folded.matches(table, session, stored)) return table;
      }
      const remembered = await sql.all<Row>('SELECT * FROM remembered WHERE session_id = $1', [session]);
      return folded.isRemembered(session, remembered) ? undefined : 'remembered';
    },
    [Symbol.dispose]: () => folded[Symbol.dispose](),
  };
}

/** Sessions in the projections, with or without a log. */
export async function listDerivedSessions(sql: Sql): Promise<string[]> {
  const text = DERIVED.map(({ table, key }) => `SELECT ${key} AS id FROM ${table}`).join(' UNION ');
  return (await sql.all<{ id: string }>(text)).map(({ id }) => id);
}
