import type { Clock } from '@klaus/core/agent';
import { FIRST_PREV } from '@klaus/core/protocol';
import { takenOver } from '../../shared/chain-drafts.ts';
import type { Arrival, SessionTransfer, StoredRecord } from '../../transfer/session-transfer.ts';
import { fromEventRow, toHash } from '../../sqlite/log/record.ts';
import type { Database, Sql } from '../database.ts';
import { verifyHostChain } from '../log/chain.ts';
import { appendHostRecords } from '../log/host-chain.ts';
import { readHead } from '../log/log.ts';
import { CHANNEL, toPayload } from '../notify/change.ts';
import { type PostgresProjectionOptions, projectEvents } from '../projections/project-events.ts';
import { corrupt } from '../store-damage.ts';
import { type SessionMove, toMovedError } from '../../transfer/session-move.ts';
import { deleteMoves, putMoves, readMove } from './moves.ts';
import { readNotes, storeNotes } from './notes.ts';
import { readRest, storeRest } from './session-rest.ts';

export interface TransferParts {
  clock: Pick<Clock, 'now'>;
  projection: PostgresProjectionOptions;
  /** Reports a change of a session to all processes. */
  touched: (session: string) => Promise<void>;
}

/** Records of one read. */
const PAGE = 256;

/** Copies and moves sessions of a database. */
export function createTransfer(database: Database, { clock, projection, touched }: TransferParts): SessionTransfer {
  const report = async (sessions: readonly string[]): Promise<void> => {
    for (const session of sessions) await touched(session);
  };
  return {
    list: () =>
      database.all(`SELECT id, CASE WHEN forked_from IS NULL THEN parent_id END AS parent, workspace_dir AS workspace
        FROM sessions WHERE id IN (SELECT session_id FROM heads WHERE seq > 0) ORDER BY id`),
    read: (session) => database.snapshot((sql) => readRest(sql, session)),
    records: (session, range) => readRecords(database, session, range),
    async hashOf(session, seq) {
      const text = 'SELECT record FROM events WHERE session_id = $1 AND seq = $2';
      const row = await database.get<{ record: string }>(text, [session, seq]);
      return row && toHash(row.record);
    },
    moveOf: (session) => readMove(database, session),
    hostChain: () => database.snapshot((sql) => verifyHostChain(sql)),
    async leave(sessions, place) {
      const busy = await database.transaction((sql) => leave(sql, sessions, { place, at: clock.now() }));
      if (busy.length === 0) await report(sessions);
      return busy;
    },
    async stay(sessions) {
      await deleteMoves(database, sessions, 'leaving');
      await report(sessions);
    },
    async left(sessions, move) {
      await database.transaction((sql) => setLeft(sql, sessions, { ...move, at: clock.now() }));
      await report(sessions);
    },
    async store(arrival) {
      await database.transaction((sql) => storeArrival(sql, arrival, { at: clock.now(), projection }));
    },
    async arrived(sessions) {
      await deleteMoves(database, sessions, 'arriving');
      await report(sessions);
    },
    notes: (workspaces) => readNotes(database, workspaces),
    storeNotes: (notes) => database.transaction((sql) => storeNotes(sql, notes)),
  };
}

async function* readRecords(
  sql: Sql,
  session: string,
  { after, until }: { after: number; until: number },
): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  for (let last = after; last < until;) {
    const rows = await sql.all<StoredRecord>(
      'SELECT seq, type, record FROM events WHERE session_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4',
      [session, last, until, PAGE],
    );
    const before = last;
    const gap = rows.findIndex(({ seq }, at) => seq !== before + 1 + at);
    if (rows.length === 0 || gap >= 0)
      throw corrupt(`record ${last + 1 + Math.max(gap, 0)} of session ${session} is missing`);
    yield rows;
    last = rows.at(-1)!.seq;
  }
}

/** The new fence refuses appends of a holder whose lease expired. */
async function leave(
  sql: Sql,
  sessions: readonly string[],
  { place, at }: { place: string; at: number },
): Promise<string[]> {
  await sql.all('SELECT 1 FROM heads WHERE session_id = ANY($1::text[]) ORDER BY session_id FOR UPDATE', [sessions]);
  const held = await sql.all<{ id: string }>(
    'SELECT session_id AS id FROM live_leases WHERE session_id = ANY($1::text[]) ORDER BY session_id',
    [sessions],
  );
  if (held.length > 0) return held.map(({ id }) => id);
  // Another copy began after this one was judged.
  const elsewhere = await sql.get<SessionMove & { session: string }>(
    `SELECT session_id AS session, state, place FROM session_moves
     WHERE session_id = ANY($1::text[]) AND state IN ('leaving', 'moved') AND place <> $2 LIMIT 1`,
    [sessions, place],
  );
  if (elsewhere) throw toMovedError(elsewhere.session, elsewhere);
  await sql.run('UPDATE heads SET fence = fence + 1 WHERE session_id = ANY($1::text[])', [sessions]);
  await putMoves(sql, sessions, { state: 'leaving', place, at });
  return [];
}

async function setLeft(
  sql: Sql,
  given: readonly string[],
  { place, by, at }: { place: string; by: string; at: number },
): Promise<void> {
  const rows = await sql.all<{ session: string; seq: number; hash: string }>(
    `SELECT session_id AS session, heads.seq, heads.hash FROM heads JOIN session_moves USING (session_id)
     WHERE session_id = ANY($1::text[]) AND state = 'leaving' ORDER BY session_id FOR UPDATE`,
    [given],
  );
  const sessions = rows.map(({ session }) => session);
  await putMoves(sql, sessions, { state: 'moved', place, at });
  await sql.run(
    `UPDATE inbox SET consumed_seq = heads.seq, command = NULL FROM heads
     WHERE inbox.session_id = heads.session_id AND heads.session_id = ANY($1::text[]) AND consumed_seq IS NULL`,
    [sessions],
  );
  const bodies = rows.map(({ session, seq: records, hash: head }) => ({
    ...{ type: 'session.moved' as const, session, records, head, place, by },
  }));
  if (bodies.length > 0)
    await appendHostRecords(
      sql,
      bodies.map((body) => ({ body, at })),
    );
}

async function storeArrival(
  sql: Sql,
  { session, rest, base, records, move, host, by }: Arrival,
  { at, projection }: { at: number; projection: PostgresProjectionOptions },
): Promise<void> {
  const { head } = rest;
  await sql.run('INSERT INTO heads (session_id, seq, hash, fence) VALUES ($1, 0, $2, 0) ON CONFLICT DO NOTHING', [
    session,
    FIRST_PREV,
  ]);
  await sql.all('SELECT 1 FROM heads WHERE session_id = $1 FOR UPDATE', [session]);
  const found = await readHead(sql, session);
  const isHeld = await sql.get('SELECT 1 FROM live_leases WHERE session_id = $1', [session]);
  if (isHeld !== undefined || found?.seq !== base.seq || found.hash !== base.hash) throw takenOver(session);
  const ranHere = (await readMove(sql, session)) === undefined;
  // The commands of the session would be refused.
  await deleteMoves(sql, [session]);
  let count = 0;
  for await (const page of records) {
    count += page.length;
    await sql.run(
      `INSERT INTO events (session_id, seq, type, record)
       SELECT $1, seq, type, record FROM unnest($2::bigint[], $3::text[], $4::text[]) AS given(seq, type, record) ORDER BY seq`,
      [session, page.map(({ seq }) => seq), page.map(({ type }) => type), page.map(({ record }) => record)],
    );
    const events = page.map(({ seq, record }) => fromEventRow({ file: 'Postgres' }, { session, seq, record }));
    await projectEvents(sql, events, projection);
  }
  // The new fence refuses appends of a holder whose lease expired.
  await sql.run('UPDATE heads SET seq = $2, hash = $3, fence = fence + 1 WHERE session_id = $1', [
    session,
    head.seq,
    head.hash,
  ]);
  await storeRest(sql, session, { rest, ranHere });
  await putMoves(sql, [session], { ...move, at });
  const change = toPayload({ kind: 'events', holder: 0, session, seq: head.seq });
  await sql.all(`SELECT pg_notify('${CHANNEL}', $1)`, [change]);
  if (count === 0) return;
  const body = {
    ...{ type: 'session.imported' as const, session, records: head.seq, head: head.hash, place: move.place },
    ...{ hostRecords: host.seq, hostHead: host.hash, isCopy: move.state === 'copy', by },
  };
  await appendHostRecords(sql, [{ body, at }]);
}
