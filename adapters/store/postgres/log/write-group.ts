import { KlausError } from '@klaus/core/protocol';
import { chainDrafts, takenOver, type Head } from '../../shared/chain-drafts.ts';
import { toHash } from '../../sqlite/log/record.ts';
import type { Sql } from '../database.ts';
import type { Append, Outcome, Written } from './append.ts';

type Found = { append: Append; written: Written };

/**
 * Writes the records of a group of appends of several sessions, in the caller's transaction: heads, events and
 * consumed commands. First it locks the heads of the sessions, so that nothing after it can be refused. The lock
 * also waits for an earlier attempt whose commit is still running.
 */
export async function writeGroup(sql: Sql, group: readonly Append[]): Promise<Outcome[]> {
  const [heads, waiting, arrived] = await Promise.all([
    lockHeads(sql, group),
    readWaiting(sql, group),
    findArrived(sql, group),
  ]);
  const outcomes = group.map((append) => decide(append, { heads, waiting, arrived }));
  const added = outcomes.filter((outcome): outcome is Found => 'written' in outcome && !arrived.has(outcome.append));
  await insert(sql, added);
  return outcomes;
}

interface Facts {
  heads: Map<string, Head>;
  /** Sessions and ids of commands that are not consumed, as `toKey`. */
  waiting: Set<string>;
  arrived: ReadonlySet<Append>;
}

function decide(append: Append, { heads, waiting, arrived }: Facts): Outcome {
  const { session, fence } = append.lease;
  if (arrived.has(append)) return { append, written: append.written! };
  const head = heads.get(session);
  if (head?.fence !== fence) return { append, error: takenOver(session) };
  const missing = append.consume.find((id, at) => !waiting.has(toKey(session, id)) || append.consume.indexOf(id) < at);
  if (missing !== undefined) {
    const what = `Command ${missing} is not waiting in the inbox of session ${session}.`;
    return { append, error: new KlausError('internal', what) };
  }
  for (const id of append.consume) waiting.delete(toKey(session, id));
  const written = chainDrafts(head, session, append.drafts);
  heads.set(session, written.head);
  append.written = written;
  return { append, written };
}

async function lockHeads(sql: Sql, group: readonly Append[]): Promise<Map<string, Head>> {
  const sessions = [...new Set(group.map(({ lease }) => lease.session))];
  // In the order of their ids, so that two groups never wait for each other.
  const rows = await sql.all<Head & { session: string }>(
    `SELECT session_id AS session, seq, hash, fence FROM heads WHERE session_id = ANY($1::text[])
     ORDER BY session_id FOR UPDATE`,
    [sessions],
  );
  return new Map(rows.map(({ session, ...head }) => [session, head]));
}

async function readWaiting(sql: Sql, group: readonly Append[]): Promise<Set<string>> {
  const pairs = group.flatMap(({ lease, consume }) => consume.map((id) => [lease.session, id] as const));
  if (pairs.length === 0) return new Set();
  const rows = await sql.all<{ session: string; id: string }>(
    `SELECT session_id AS session, command_id AS id FROM inbox
     JOIN unnest($1::text[], $2::text[]) AS wanted(session, id) ON session_id = wanted.session AND command_id = wanted.id
     WHERE consumed_seq IS NULL`,
    [pairs.map(([session]) => session), pairs.map(([, id]) => id)],
  );
  return new Set(rows.map(({ session, id }) => toKey(session, id)));
}

/** The appends that an earlier attempt committed: their last record is in the log, or their commands are consumed. */
async function findArrived(sql: Sql, group: readonly Append[]): Promise<ReadonlySet<Append>> {
  const found = new Set<Append>();
  for (const append of group) {
    if (!append.written) continue;
    const { session } = append.lease;
    const { seq, hash } = append.written.head;
    if (append.drafts.length > 0) {
      const row = await sql.get<{ record: string }>('SELECT record FROM events WHERE session_id = $1 AND seq = $2', [
        session,
        seq,
      ]);
      if (row && toHash(row.record) === hash) found.add(append);
    } else if (append.consume.length > 0) {
      const row = await sql.get<{ count: number }>(
        `SELECT count(*) AS count FROM inbox
         WHERE session_id = $1 AND command_id = ANY($2::text[]) AND consumed_seq = $3`,
        [session, append.consume, seq],
      );
      if (row?.count === append.consume.length) found.add(append);
    }
  }
  return found;
}

async function insert(sql: Sql, added: readonly Found[]): Promise<void> {
  const heads = new Map(added.map(({ append, written }) => [append.lease.session, written.head]));
  const events = added.flatMap(({ written }) => written.events);
  const consumed = added.flatMap(({ append, written }) =>
    append.consume.map((id) => ({ session: append.lease.session, id, seq: written.head.seq })),
  );
  const statements: Promise<unknown>[] = [];
  if (events.length > 0) {
    statements.push(
      sql.run(WRITE, [
        [...heads.keys()],
        [...heads.values()].map(({ seq }) => seq),
        [...heads.values()].map(({ hash }) => hash),
        events.map(({ session }) => session),
        events.map(({ seq }) => seq),
        events.map(({ type }) => type),
        added.flatMap(({ written }) => written.records),
      ]),
    );
  }
  if (consumed.length > 0) {
    statements.push(
      sql.run(CONSUME, [
        consumed.map(({ session }) => session),
        consumed.map(({ id }) => id),
        consumed.map(({ seq }) => seq),
      ]),
    );
  }
  await settleAll(statements);
}

/** Waits for statements that were sent together, and throws the first error. */
export async function settleAll(statements: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(statements)) if (result.status === 'rejected') throw result.reason;
}

const WRITE = `WITH moved AS (
    UPDATE heads SET seq = ends.seq, hash = ends.hash
    FROM unnest($1::text[], $2::bigint[], $3::text[]) AS ends(session, seq, hash) WHERE session_id = ends.session
  )
  INSERT INTO events (session_id, seq, type, record)
  SELECT * FROM unnest($4::text[], $5::bigint[], $6::text[], $7::text[])`;

const CONSUME = `UPDATE inbox SET consumed_seq = done.seq, command = NULL
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS done(session, command, seq)
  WHERE session_id = done.session AND command_id = done.command`;

function toKey(session: string, id: string): string {
  return `${session}\n${id}`;
}
