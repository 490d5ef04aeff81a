import type { Event } from '@klaus/core/protocol';
import type { Redact } from '../../shared/host-record.ts';
import { isRecorded, toHostBodies } from '../../shared/session-records.ts';
import type { Database } from '../database.ts';
import { isInherited } from './inherited.ts';
import { appendHostRecord } from './host-chain.ts';
import { readHead } from './log.ts';

/** Appends to the host chain what it records of a session's new events. Runs in the transaction that appends them. */
export function recordInHostChain(
  database: Database,
  options: { session: string; events: readonly Event[]; redact?: Redact },
): void {
  const { session, events, redact } = options;
  const known = events.filter((event) => isRecorded(event) && !isInherited(database, event));
  const last = known.at(-1);
  if (!last) return;
  const { seq: records, hash: head } = readHead(database, session)!;
  for (const body of toHostBodies(known, { session, records, head })) {
    appendHostRecord(database, { body, at: last.at, redact });
  }
}
