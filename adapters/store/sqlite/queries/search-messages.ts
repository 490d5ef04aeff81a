import type { MessageHit } from '@klaus/core/agent';
import type { Database } from '../database.ts';

/** Messages that are indexed in one transaction. */
const PAGE = 500;

/**
 * Messages of all sessions that contain every word, or a word with it as a prefix; the best first.
 *
 * @param words Letters and digits alone.
 */
export function searchMessages(
  database: Database,
  { words, limit }: { words: readonly string[]; limit: number },
): MessageHit[] {
  if (words.length === 0) return [];
  while (indexMore(database) === PAGE);
  const query = words.map((word) => `"${word}" *`).join(' AND ');
  const sql = `SELECT messages.id, messages.session_id AS session, sessions.title AS sessionTitle, role,
      messages.content, messages.created_at AS at
    FROM messages_fts JOIN messages ON messages.id = messages_fts.rowid JOIN sessions ON sessions.id = messages.session_id
    WHERE messages_fts MATCH ? ORDER BY messages_fts.rank, messages.id DESC LIMIT ?`;
  type Row = Omit<MessageHit, 'seq'> & { id: number };
  return database
    .all<Row>(sql, query, limit)
    .map(({ id, ...row }) => ({ ...row, seq: findSeq(database, row.session, id) }));
}

/** The messages of a session are in the order of their events. */
function findSeq(database: Database, session: string, message: number): number {
  const before = database.get<{ count: number }>(
    'SELECT count(*) AS count FROM messages WHERE session_id = ? AND id < ?',
    session,
    message,
  )!.count;
  const sql = `SELECT seq FROM events WHERE session_id = ? AND type IN ('message.added', 'tool.finished')
    ORDER BY seq LIMIT 1 OFFSET ?`;
  return database.get<{ seq: number }>(sql, session, before)?.seq ?? 0;
}

/** Indexes newer messages. Returns their number. */
function indexMore(database: Database): number {
  return database.transaction(() => {
    const last = database.get<{ id: number | null }>('SELECT max(rowid) AS id FROM messages_fts')?.id ?? 0;
    const rows = database.all<{ id: number; content: string }>(
      'SELECT id, content FROM messages WHERE id > ? ORDER BY id LIMIT ?',
      last,
      PAGE,
    );
    for (const { id, content } of rows)
      database.run('INSERT INTO messages_fts (rowid, content) VALUES (?, ?)', id, content);
    return rows.length;
  });
}

/** Removes the messages of a session from the index. Call it before they are deleted. */
export function dropFromSearch(database: Database, session: string): void {
  const { changes } = database.run(
    'DELETE FROM messages_fts WHERE rowid IN (SELECT id FROM messages WHERE session_id = ?)',
    session,
  );
  // An index contains deleted words until its segments are merged.
  if (changes > 0) database.run("INSERT INTO messages_fts (messages_fts) VALUES ('optimize')");
}
