import { FIRST_PREV } from '@klaus/core/protocol';
import type { Database } from '../database.ts';
import { appendHostRecord, type Redact } from './host-chain.ts';
import { readHead } from './log.ts';

/** Records that a session is exported. Runs in the caller's transaction. */
export function recordExport(
  database: Database,
  options: { session: string; format: string; by: string; at: number; redact?: Redact | undefined },
): void {
  const { session, format, by, at, redact } = options;
  const { seq: records, hash: head } = readHead(database, session) ?? { seq: 0, hash: FIRST_PREV };
  const body = { type: 'session.exported' as const, session, records, head, format, by };
  appendHostRecord(database, { body, at, redact });
}
