import type { DatabaseSync } from 'node:sqlite';
import type { Event } from '@klaus/core/protocol';

/** Of the records that are read without the engine. The engine is not loaded for it: a test compares both. */
export const CURRENT_VERSION = 3;

/** Records of one query. */
const PAGE = 200;

/**
 * Reads logs without the engine. The events of a session after `after`, at most a page of them; none at the end.
 * Undefined if only the engine can read them or report what is wrong: records of another version, or damaged ones.
 */
export function createReadEvents(database: DatabaseSync): (id: string, after: number) => Event[] | undefined {
  const page = database.prepare('SELECT seq, record FROM events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?');
  return (id, after) => {
    const events: Event[] = [];
    for (const { seq, record } of page.all(id, after, PAGE) as { seq: number; record: string }[]) {
      const event = toEvent(record);
      if (event === undefined || seq !== after + events.length + 1) return undefined;
      events.push(event);
    }
    return events;
  };
}

function toEvent(record: string): Event | undefined {
  try {
    const event = JSON.parse(record) as Event | null;
    return event?.v === CURRENT_VERSION ? event : undefined;
  } catch {
    return undefined;
  }
}
