import { rmSync } from 'node:fs';
import type { ClearFilter, ClearReport } from '@klaus/core/agent';
import type { Blobs } from './blobs.ts';
import type { Database } from '../database.ts';
import { lockFile, toLockFile } from '../locks/file-lock.ts';
import { appendHostRecord } from './host-chain.ts';
import { toRememberedHashes } from '../../shared/remembered-proof.ts';
import type { StoredRemembered } from '../../shared/remembered-row.ts';
import type { Redact } from '../../shared/host-record.ts';
import { toIso } from '../../shared/iso-time.ts';
import { readHead } from './log.ts';
import { NO_HEAD } from './record.ts';
import { dropFromSearch } from '../queries/search-messages.ts';

/** Milliseconds after which a blob without a reference is no longer waiting for its event. */
const BLOB_GRACE_MS = 60 * 60 * 1_000;

/**
 * Deletes sessions with their events, inbox, projections, lock files, and blobs that no other session refers to. The host
 * chain records the number of their records and the hash of the last.
 *
 * @param options.now Unix milliseconds.
 */
export function clearSessions(
  database: Database,
  options: { home: string; blobs: Blobs; filter: ClearFilter; now: number; redact?: Redact },
): ClearReport {
  const { home, blobs, filter } = options;
  const cleared: string[] = [];
  const busy: string[] = [];
  for (const session of toCandidates(database, filter)) {
    const lock = lockFile(toLockFile(home, session));
    if (!lock) {
      busy.push(session);
      continue;
    }
    try {
      database.transaction(() => {
        const { seq: records, hash: head } = readHead(database, session) ?? NO_HEAD;
        const own = database.all<StoredRemembered>('SELECT * FROM remembered WHERE session_id = ?', session);
        const remembered = toRememberedHashes(own);
        const by = filter.by ?? 'sdk';
        const body = { type: 'session.deleted' as const, session, records, head, by, remembered };
        appendHostRecord(database, { body, at: options.now, redact: options.redact });
        deleteSession(database, session);
      });
      cleared.push(session);
    } finally {
      lock.release({ remove: true });
    }
  }
  const report = { cleared, busy, blobs: sweepBlobs(database, blobs, options.now - BLOB_GRACE_MS) };
  // Deleted data would otherwise remain readable in the write-ahead log.
  if (cleared.length > 0) database.all('PRAGMA wal_checkpoint(TRUNCATE)');
  return report;
}

function toCandidates(database: Database, filter: ClearFilter): string[] {
  const before = filter.olderThan === undefined ? null : toIso(filter.olderThan);
  const sql = `SELECT id FROM sessions WHERE (?1 IS NULL OR updated_at < ?1)
    AND (CASE WHEN ?2 IS NULL THEN pinned = 0 ELSE id IN (SELECT value FROM json_each(?2)) END) ORDER BY id`;
  const ids = filter.ids ? JSON.stringify(filter.ids) : null;
  return database.all<{ id: string }>(sql, before, ids).map((row) => row.id);
}

function deleteSession(database: Database, session: string): void {
  clearRecall(database, session);
  dropFromSearch(database, session);
  const projections = ['approvals', 'token_usage', 'tool_calls', 'messages'];
  for (const table of [
    ...projections,
    'events',
    'heads',
    'inbox',
    'blob_refs',
    'checkpoints',
    'outbox',
    'attention_seen',
    'session_moves',
  ]) {
    database.run(`DELETE FROM ${table} WHERE session_id = ?`, session);
  }
  database.run('DELETE FROM sessions WHERE id = ?', session);
  database.run(
    'DELETE FROM projects WHERE hash NOT IN (SELECT project_hash FROM sessions WHERE project_hash IS NOT NULL)',
  );
}

function clearRecall(database: Database, session: string): void {
  database.run(
    `DELETE FROM recall_fts WHERE rowid IN (SELECT c.id FROM recall_chunks c
      JOIN recall_documents d ON d.id = c.document WHERE d.session_id = ?)`,
    session,
  );
  database.run(
    'DELETE FROM recall_chunks WHERE document IN (SELECT id FROM recall_documents WHERE session_id = ?)',
    session,
  );
  const { changes } = database.run('DELETE FROM recall_documents WHERE session_id = ?', session);
  database.run('DELETE FROM recall_heads WHERE session_id = ?', session);
  // An index contains deleted words until its segments are merged.
  if (changes > 0) database.run("INSERT INTO recall_fts (recall_fts) VALUES ('optimize')");
}

/** Removes blobs without a reference, and abandoned drafts, unless they are recent. */
function sweepBlobs(database: Database, blobs: Blobs, writtenBefore: number): ClearReport['blobs'] {
  const removed = { count: 0, bytes: 0 };
  for (const blob of blobs.list()) {
    if (blob.writtenAt >= writtenBefore) continue;
    if (database.get('SELECT 1 FROM blob_refs WHERE hash = ? LIMIT 1', blob.hash)) continue;
    rmSync(blob.path, { force: true });
    removed.count += 1;
    removed.bytes += blob.size;
  }
  return removed;
}
