import type { Command } from '@klaus/core/protocol';
import { toPromptBlobs } from '../../sqlite/log/inbox.ts';
import { findDamage, toCommands, type CommandRow } from '../../shared/stored-command.ts';
import type { Sql } from '../database.ts';
import { CHANNEL, toPayload } from '../notify/change.ts';
import { corrupt, newer } from '../store-damage.ts';
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

/**
 * Commands that are not consumed yet, in order of arrival.
 *
 * @throws KlausError `store.corrupt` for one that cannot be read, or that a newer version wrote.
 */
export async function readInbox(sql: Sql, session: string): Promise<Command[]> {
  const rows = await readWaiting(sql, session);
  return toCommands(session, rows, ({ kind, what }) => (kind === 'newer' ? newer(what) : corrupt(what)));
}

/** Why a command of the session cannot be read; undefined if all can, or if a newer version wrote it. */
export async function findDamagedCommand(sql: Sql, session: string): Promise<string | undefined> {
  return findDamage(session, await readWaiting(sql, session));
}

function readWaiting(sql: Sql, session: string): Promise<CommandRow[]> {
  return sql.all<CommandRow>(
    'SELECT command_id AS id, command FROM inbox WHERE session_id = $1 AND consumed_seq IS NULL ORDER BY inbox.id',
    [session],
  );
}
