import { isRecorded, toHostBodies } from '../../shared/session-records.ts';
import type { Redact } from '../../shared/host-record.ts';
import type { Sql } from '../database.ts';
import { readInherited, type InheritedCache } from '../projections/inherited.ts';
import { isCopied } from '../../shared/inherited.ts';
import type { Written } from './append.ts';
import { appendHostRecords, type HostDraft } from './host-chain.ts';

/** Appends to the host chain what it records of new events. Runs in the transaction that appends them, as its last part. */
export async function recordInHostChain(
  sql: Sql,
  written: readonly Written[],
  options: { inherited: InheritedCache; redact?: Redact },
): Promise<void> {
  const drafts: HostDraft[] = [];
  for (const { events, head } of written) {
    const recorded = events.filter(isRecorded);
    if (recorded.length === 0) continue;
    const { session } = recorded[0]!;
    const inherited = await readInherited(sql, { session, events, cache: options.inherited });
    const known = recorded.filter((event) => !isCopied(event, inherited));
    const last = known.at(-1);
    if (!last) continue;
    const bodies = toHostBodies(known, { session, records: head.seq, head: head.hash });
    drafts.push(...bodies.map((body) => ({ body, at: last.at })));
  }
  if (drafts.length > 0) await appendHostRecords(sql, drafts, options.redact);
}
