import type { Event } from '@klaus/core/protocol';
import { PROJECTION_TABLES } from '../../shared/projection-tables.ts';
import { fromEventRow } from '../../sqlite/log/record.ts';
import type { Database, Sql } from '../database.ts';
import { type PostgresProjectionOptions, projectEvents } from './project-events.ts';

/** Records of one page. */
const PAGE = 500;

/**
 * Clears the projections and folds the complete log again, in one transaction. Appends wait for it. Returns the number of
 * events.
 */
export async function rebuildProjections(database: Database, options: PostgresProjectionOptions): Promise<number> {
  return database.transaction(async (sql) => {
    // Reads remain possible. An append inserts its records before it changes a projection.
    await sql.run('LOCK TABLE events IN SHARE MODE');
    // It refers to message ids, which change.
    await sql.run('DELETE FROM message_words');
    for (const table of PROJECTION_TABLES) await sql.run(`DELETE FROM ${table}`);
    let count = 0;
    for (let after = 0; ;) {
      const rows = await readPage(sql, after);
      for (const events of toRuns(rows.map((row) => fromEventRow({ file: 'The database' }, row))))
        await projectEvents(sql, events, options);
      count += rows.length;
      if (rows.length < PAGE) break;
      after = rows.at(-1)!.id;
    }
    // The logs of the sessions do not contain what the user revoked later.
    await sql.run(
      "DELETE FROM remembered WHERE approval IN (SELECT record::json ->> 'approval' FROM host_events WHERE type = 'approval.forgotten')",
    );
    return count;
  });
}

interface Row {
  id: number;
  session: string;
  seq: number;
  record: string;
}

function readPage(sql: Sql, after: number): Promise<Row[]> {
  const text = 'SELECT id, session_id AS session, seq, record FROM events WHERE id > $1 ORDER BY id LIMIT $2';
  return sql.all<Row>(text, [after, PAGE]);
}

/** The events in parts that belong to one session each. */
function toRuns(events: readonly Event[]): Event[][] {
  const runs: Event[][] = [];
  for (const event of events) {
    const last = runs.at(-1);
    if (last?.[0]?.session === event.session) last.push(event);
    else runs.push([event]);
  }
  return runs;
}
