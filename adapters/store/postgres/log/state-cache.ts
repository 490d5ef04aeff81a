import { serialize } from 'node:v8';
import type { State, StateCache } from '@klaus/core/agent';
import { fromCheckpoint, toDigest, type Checkpoint } from '../../shared/checkpoint.ts';
import type { Database, Sql } from '../database.ts';

export function createStateCache(database: Database): StateCache {
  return {
    read: (session, version) => readState(database, session, version),
    async seqOf(session) {
      const row = await database.get<{ seq: number }>('SELECT seq FROM checkpoints WHERE session_id = $1', [session]);
      return row?.seq ?? 0;
    },
    async write({ session, fence }, { state, version }) {
      const bytes = serialize(state);
      await database.run(WRITE, [session, state.seq, fence, version, toDigest(bytes), bytes]);
    },
  };
}

/** The lock of the head waits for a claim that is not committed yet. */
const WRITE = `INSERT INTO checkpoints (session_id, seq, hash, version, digest, state)
  SELECT session_id, seq, hash, $4, $5, $6 FROM heads WHERE session_id = $1 AND seq = $2 AND fence = $3 FOR SHARE
  ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, version = excluded.version,
    digest = excluded.digest, state = excluded.state`;

/** Undefined for a state that does not match the beginning of the log. */
export async function readState(sql: Sql, session: string, version: string): Promise<State | undefined> {
  const row = await sql.get<Checkpoint & { record: string | null }>(
    `SELECT checkpoints.seq, hash, digest, state, record FROM checkpoints
     LEFT JOIN events ON events.session_id = checkpoints.session_id AND events.seq = checkpoints.seq
     WHERE checkpoints.session_id = $1 AND version = $2`,
    [session, version],
  );
  return row && fromCheckpoint(row, row.record ?? undefined);
}
