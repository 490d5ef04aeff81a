import type { SessionRest, StoredCommand } from '../../transfer/session-transfer.ts';
import type { Database } from '../database.ts';
import { readHead } from '../log/log.ts';

/** Runs in the caller's snapshot. Undefined for a session without a record. */
export function readRest(database: Database, session: string): SessionRest | undefined {
  const head = readHead(database, session);
  if (!head || head.seq === 0) return undefined;
  const { seq, hash } = head;
  const commands = database.all<StoredCommand>(
    `SELECT command_id AS id, command, received_at AS receivedAt, consumed_seq AS consumedSeq FROM inbox
     WHERE session_id = ? ORDER BY id`,
    session,
  );
  const list = (sql: string): string[] => database.all<{ text: string }>(sql, session).map(({ text }) => text);
  return {
    head: { seq, hash },
    commands,
    blobs: list('SELECT hash AS text FROM blob_refs WHERE session_id = ? ORDER BY hash'),
    remembered: list('SELECT approval AS text FROM remembered WHERE session_id = ?'),
    seen: database.get('SELECT seq, at FROM attention_seen WHERE session_id = ?', session) ?? null,
  };
}

/**
 * Stores it after the records. Runs in the caller's transaction.
 *
 * @param options.ranHere True for a session that could run here until now: what it consumed stays consumed.
 */
export function storeRest(
  database: Database,
  session: string,
  { rest, ranHere }: { rest: SessionRest; ranHere: boolean },
): void {
  for (const { id, command, receivedAt, consumedSeq } of rest.commands) {
    database.run(
      `INSERT INTO inbox (session_id, command_id, command, received_at, consumed_seq) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (session_id, command_id) DO UPDATE
         SET command = excluded.command, received_at = excluded.received_at, consumed_seq = excluded.consumed_seq
         WHERE ? = 0 OR inbox.consumed_seq IS NULL`,
      session,
      id,
      command,
      receivedAt,
      consumedSeq,
      Number(ranHere),
    );
  }
  for (const hash of rest.blobs)
    database.run('INSERT OR IGNORE INTO blob_refs (session_id, hash) VALUES (?, ?)', session, hash);
  // An approval that the user revoked there is not valid here: the records alone would renew it.
  database.run(
    'DELETE FROM remembered WHERE session_id = ? AND approval NOT IN (SELECT value FROM json_each(?))',
    session,
    JSON.stringify(rest.remembered),
  );
  if (rest.seen) {
    database.run(
      `INSERT INTO attention_seen (session_id, seq, at) VALUES (?, ?, ?)
       ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, at = excluded.at WHERE excluded.seq > attention_seen.seq`,
      session,
      rest.seen.seq,
      rest.seen.at,
    );
  }
}
