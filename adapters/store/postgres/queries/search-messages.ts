import type { MessageHit } from '@klaus/core/agent';
import type { Database } from '../database.ts';
import { toSearchText, toTextQuery } from '../recall/search-text.ts';

/** Messages that are indexed in one transaction. */
const PAGE = 500;
/** Number of the advisory lock that one process holds while it indexes messages. */
const INDEX_LOCK = 0x6b6c62;

/**
 * Messages of all sessions that contain every word, or a word with it as a prefix; the best first. Words are compared by
 * their English stems. Of a message only the first 120,000 characters are searched.
 *
 * @param query.words Letters and digits alone.
 */
export async function searchMessages(
  database: Database,
  { words, limit }: { words: readonly string[]; limit: number },
): Promise<MessageHit[]> {
  if (words.length === 0) return [];
  while ((await indexMore(database)) === PAGE);
  return database.all<MessageHit>(
    `SELECT found.session_id AS session, sessions.title AS "sessionTitle", role, content, found.created_at AS at,
      coalesce((SELECT seq FROM events WHERE session_id = found.session_id
        AND type IN ('message.added', 'tool.finished') ORDER BY seq LIMIT 1 OFFSET (
          SELECT count(*) FROM messages WHERE session_id = found.session_id AND id < found.id)), 0) AS seq
      FROM (SELECT messages.*, ts_rank(words, query, 1) AS rank
        FROM to_tsquery('klaus', $1) AS query, message_words JOIN messages ON messages.id = message
        WHERE words @@ query ORDER BY rank DESC, messages.id DESC LIMIT $2) AS found
      JOIN sessions ON sessions.id = found.session_id ORDER BY rank DESC, found.id DESC`,
    [toTextQuery(words, '&', { prefix: true }), limit],
  );
}

/** Indexes newer messages. Returns their number. */
function indexMore(database: Database): Promise<number> {
  return database.transaction(async (sql) => {
    await sql.all('SELECT pg_advisory_xact_lock($1)', [INDEX_LOCK]);
    const rows = await sql.all<{ id: number; session: string; content: string }>(
      `SELECT id, session_id AS session, content FROM messages WHERE NOT is_indexed ORDER BY id LIMIT ${PAGE}`,
    );
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await Promise.all([
      sql.run(
        `INSERT INTO message_words (message, session_id, words)
          SELECT message, session, to_tsvector('klaus', content)
          FROM unnest($1::bigint[], $2::text[], $3::text[]) AS added(message, session, content)
          ON CONFLICT (message) DO NOTHING`,
        [ids, rows.map(({ session }) => session), rows.map(({ content }) => toSearchText(content))],
      ),
      sql.run('UPDATE messages SET is_indexed = true WHERE id = ANY ($1::bigint[])', [ids]),
    ]);
    return rows.length;
  });
}
