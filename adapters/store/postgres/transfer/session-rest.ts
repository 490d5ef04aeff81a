import type { SessionRest, StoredCommand } from '../../transfer/session-transfer.ts';
import type { Sql } from '../database.ts';
import { readHead } from '../log/log.ts';

/** Runs in the caller's snapshot. Undefined for a session without a record. */
export async function readRest(sql: Sql, session: string): Promise<SessionRest | undefined> {
  const list = async (text: string): Promise<string[]> =>
    (await sql.all<{ text: string }>(text, [session])).map((row) => row.text);
  const [head, commands, blobs, remembered, seen] = await Promise.all([
    readHead(sql, session),
    sql.all<Omit<StoredCommand, 'receivedAt'> & { receivedAt: Date }>(
      `SELECT command_id AS id, command, received_at AS "receivedAt", consumed_seq AS "consumedSeq" FROM inbox
       WHERE session_id = $1 ORDER BY id`,
      [session],
    ),
    list('SELECT hash AS text FROM blob_refs WHERE session_id = $1 ORDER BY hash'),
    list('SELECT approval AS text FROM remembered WHERE session_id = $1'),
    sql.get<{ seq: number; at: number }>('SELECT seq, at FROM attention_seen WHERE session_id = $1', [session]),
  ]);
  if (!head || head.seq === 0) return undefined;
  return {
    head: { seq: head.seq, hash: head.hash },
    commands: commands.map((row) => ({ ...row, receivedAt: row.receivedAt.toISOString() })),
    blobs,
    remembered,
    seen: seen ?? null,
  };
}

/**
 * Stores it after the records. Runs in the caller's transaction.
 *
 * @param options.ranHere True for a session that could run here until now: what it consumed stays consumed.
 */
export async function storeRest(
  sql: Sql,
  session: string,
  { rest, ranHere }: { rest: SessionRest; ranHere: boolean },
): Promise<void> {
  const { commands } = rest;
  await sql.run(
    `INSERT INTO inbox (session_id, command_id, command, received_at, consumed_seq)
     SELECT $1, id, command, received, consumed
       FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[]) WITH ORDINALITY
         AS given(id, command, received, consumed, nth) ORDER BY nth
     ON CONFLICT (session_id, command_id) DO UPDATE
       SET command = excluded.command, received_at = excluded.received_at, consumed_seq = excluded.consumed_seq
       WHERE NOT $6 OR inbox.consumed_seq IS NULL`,
    [
      session,
      commands.map(({ id }) => id),
      commands.map(({ command }) => command),
      commands.map(({ receivedAt }) => receivedAt),
      commands.map(({ consumedSeq }) => consumedSeq),
      ranHere,
    ],
  );
  await sql.run('INSERT INTO blob_refs (session_id, hash) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING', [
    session,
    rest.blobs,
  ]);
  // An approval that the user revoked there is not valid here: the records alone would renew it.
  await sql.run('DELETE FROM remembered WHERE session_id = $1 AND NOT approval = ANY($2::text[])', [
    session,
    rest.remembered,
  ]);
  if (rest.seen) {
    await sql.run(
      `INSERT INTO attention_seen (session_id, seq, at) VALUES ($1, $2, $3)
       ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, at = excluded.at WHERE excluded.seq > attention_seen.seq`,
      [session, rest.seen.seq, Math.trunc(rest.seen.at)],
    );
  }
}
