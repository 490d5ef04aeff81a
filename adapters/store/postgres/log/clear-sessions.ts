import type { ClearFilter, ClearReport } from '@klaus/core/agent';
import type { BlobStore } from '../../shared/blob-store.ts';
import type { Redact } from '../../shared/host-record.ts';
import { toRememberedHashes } from '../../shared/remembered-proof.ts';
import type { StoredRemembered } from '../../shared/remembered-row.ts';
import { toIso } from '../../shared/iso-time.ts';
import { NO_HEAD } from '../../sqlite/log/record.ts';
import type { Database, Sql } from '../database.ts';
import type { Leases } from '../leases/leases.ts';
import { KEEP_COST } from '../tenants/tenant-usage.ts';
import { appendHostRecords } from './host-chain.ts';
import { readHead } from './log.ts';

/** Milliseconds after which a blob without a reference is no longer waiting for its event. */
const BLOB_GRACE_MS = 60 * 60 * 1_000;

/** Tables with rows of a session. */
const TABLES = [
  'approvals',
  'token_usage',
  'tool_calls',
  'messages',
  'message_words',
  'recall_documents',
  'recall_heads',
  'events',
  'inbox',
  'blob_refs',
  'checkpoints',
  'outbox',
  'attention_seen',
  'session_moves',
  'sweep_wakes',
  'run_problems',
  'release_requests',
  'leases',
  'tenant_sessions',
  'tenant_runs',
  'heads',
] as const;

/**
 * Deletes sessions with their events, inbox, projections, and blobs that no other session refers to. The host chain
 * records the number of their records and the hash of the last.
 *
 * @param options.now Unix milliseconds.
 */
export async function clearSessions(
  database: Database,
  options: { leases: Leases; blobs: BlobStore; filter: ClearFilter; now: number; redact?: Redact },
): Promise<ClearReport> {
  const { leases, blobs, filter, now } = options;
  const cleared: string[] = [];
  const busy: string[] = [];
  for (const session of await listCandidates(database, filter)) {
    const lease = await leases.claim(session, { ofMoved: true });
    if (!lease) {
      busy.push(session);
      continue;
    }
    try {
      await database.transaction(async (sql) => {
        await sql.all('SELECT 1 FROM heads WHERE session_id = $1 FOR UPDATE', [session]);
        const { seq: records, hash: head } = (await readHead(sql, session)) ?? NO_HEAD;
        const own = await sql.all<StoredRemembered>('SELECT * FROM remembered WHERE session_id = $1', [session]);
        const remembered = toRememberedHashes(own);
        await deleteSession(sql, session);
        const by = filter.by ?? 'sdk';
        const body = { type: 'session.deleted' as const, session, records, head, by, remembered };
        await appendHostRecords(sql, [{ body, at: now }], options.redact);
      });
      cleared.push(session);
    } finally {
      await lease.release();
    }
  }
  return { cleared, busy, blobs: await sweepBlobs(database, blobs, now - BLOB_GRACE_MS) };
}

async function listCandidates(sql: Sql, { olderThan, ids }: ClearFilter): Promise<string[]> {
  const text = `SELECT id FROM dated_sessions WHERE ($1::text IS NULL OR updated_at < $1)
    AND (CASE WHEN $2::text[] IS NULL THEN pinned = 0 ELSE id = ANY($2) END) ORDER BY id`;
  const values = [olderThan === undefined ? null : toIso(olderThan), ids ?? null];
  return (await sql.all<{ id: string }>(text, values)).map(({ id }) => id);
}

async function deleteSession(sql: Sql, session: string): Promise<void> {
  await sql.run('DELETE FROM recall_chunks WHERE document IN (SELECT id FROM recall_documents WHERE session_id = $1)', [
    session,
  ]);
  await sql.run(KEEP_COST, [session]);
  for (const table of TABLES) await sql.run(`DELETE FROM ${table} WHERE session_id = $1`, [session]);
  await sql.run(
    `WITH deleted AS (DELETE FROM sessions WHERE id = $1 RETURNING project_hash)
     DELETE FROM projects WHERE hash IN (SELECT project_hash FROM deleted)
       AND NOT EXISTS (SELECT 1 FROM sessions WHERE project_hash = projects.hash AND id <> $1)`,
    [session],
  );
}

/** Removes blobs without a reference, and abandoned drafts, unless they are recent. */
async function sweepBlobs(sql: Sql, blobs: BlobStore, writtenBefore: number): Promise<ClearReport['blobs']> {
  const removed = { count: 0, bytes: 0 };
  for await (const blob of blobs.list()) {
    if (blob.writtenAt >= writtenBefore) continue;
    if (await sql.get('SELECT 1 FROM blob_refs WHERE hash = $1 LIMIT 1', [blob.hash])) continue;
    await blob.remove();
    removed.count += 1;
    removed.bytes += blob.size;
  }
  return removed;
}
