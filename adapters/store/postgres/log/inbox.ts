import type { Command } from '@klaus/core/protocol';
import { toPromptBlobs } from '../../sqlite/log/inbox.ts';
import type { Sql } from '../database.ts';
import { CHANNEL, toPayload } from '../notify/change.ts';
import { explainMoved } from '../transfer/moves.ts';

/**
 * Stores a command and notifies all processes, in one statement; undefined when its id is already known, otherwise its
 * arrival number. A repetition after a lost connection is safe.
 *
 * @throws KlausError `session.moved`.
 */
export async function putCommand(
  sql: Sql,
  options: { session: string; command: Command; holder: number },
): Promise<number | undefined> {
  const { session, command, holder } = options;
  const hashes = toPromptBlobs(command).map(({ hash }) => hash);
  // The arrival number takes the place of the 0.
  const [before, after] = toPayload({ kind: 'inbox', holder, session, seq: 0 }).split(':0:');
  const put = sql.get<{ id: number }>(
    `WITH put AS (
       INSERT INTO inbox (session_id, command_id, command) VALUES ($1, $2, $3)
       ON CONFLICT (session_id, command_id) DO NOTHING RETURNING id
     ), blobs AS (
       INSERT INTO blob_refs (session_id, hash) SELECT $1, unnest($4::text[]) FROM put ON CONFLICT DO NOTHING
     )
     SELECT id, pg_notify('${CHANNEL}', $5 || ':' || id || ':' || $6) FROM put`,
    [session, command.id, JSON.stringify(command), hashes, before, after],
  );
  try {
    return (await put)?.id;
  } catch (error) {
    throw await explainMoved(sql, session, error);
  }
}

/** Commands that are not consumed yet, in order of arrival. */
export async function readInbox(sql: Sql, session: string): Promise<Command[]> {
  const rows = await sql.all<{ command: string }>(
    'SELECT command FROM inbox WHERE session_id = $1 AND consumed_seq IS NULL ORDER BY id',
    [session],
  );
  return rows.map(({ command }) => JSON.parse(command) as Command);
}
