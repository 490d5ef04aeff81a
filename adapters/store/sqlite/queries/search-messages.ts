import type { MessageHit } from '@klaus/core/agent';
import type { Database } from '../database.ts';

/** Messages that are taken into the index in one transaction. */
const PAGE = 500;

/**
 * Messages of all sessions in which every word stands, or a word that begins so; the best first.
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

/** The messages of a session stand in the order of their events. */
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

/** Takes newer messages into the index. Returns how many there were. */
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

/** Drops the messages of a session from the index, before they are deleted. */
export function dropFromSearch(database: Database, session: string): void {
  const gone = database.run(
    'DELETE FROM messages_fts WHERE rowid IN (SELECT id FROM messages WHERE session_id = ?)',
    session,
  );
  // An index keeps words that are nowhere any more until its parts are merged.
  if (gone > 0) database.run("INSERT INTO messages_fts (messages_fts) VALUES ('optimize')");
}
