import type { Event } from '@klaus/core/protocol';
import { PROJECTION_TABLES } from '../../shared/projection-tables.ts';
import { fromEventRow } from '../../sqlite/log/record.ts';
import type { Database } from '../database.ts';
import type { EventRow } from '../queries/events.ts';
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
    await sql.script(
      'DECLARE log NO SCROLL CURSOR FOR SELECT session_id AS session, seq, record FROM events ORDER BY id',
    );
    for (let isEnd = false; !isEnd;) {
      const rows = await sql.all<EventRow>(`FETCH ${PAGE} FROM log`);
      for (const events of toRuns(rows.map((row) => fromEventRow({ file: 'The database' }, row))))
        await projectEvents(sql, events, options);
      count += rows.length;
      isEnd = rows.length < PAGE;
    }
    // The logs of the sessions do not contain what the user revoked later, unless it was given again after that.
    await sql.run(
      `DELETE FROM remembered USING host_events
       WHERE type = 'approval.forgotten' AND host_events.record::json ->> 'approval' = remembered.approval
         AND host_events.at >= round(extract(epoch FROM remembered.created_at::timestamptz) * 1000)`,
    );
    return count;
  });
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
