import { serialize } from 'node:v8';
import { createState, fold, FOLD_VERSION, type StateCache, type State } from '@klaus/core/agent';
import { fromCheckpoint, isSameState, toDigest, type Checkpoint } from '../../shared/checkpoint.ts';
import type { Database } from '../database.ts';
import type { GroupCommit } from '../log/group-commit.ts';
import { readEvents, readHead } from '../log/log.ts';

export function createStateCache(database: Database, commits: GroupCommit): StateCache {
  return {
    read: async (session, version) => readState(database, session, version),
    seqOf: async (session) =>
      database.get<{ seq: number }>('SELECT seq FROM checkpoints WHERE session_id = ?', session)?.seq ?? 0,
    async write({ session, fence }, { state, version }) {
      const { seq } = state;
      const text = serialize(state);
      await commits.run(() => {
        const head = readHead(database, session);
        if (head?.fence !== fence || head.seq !== seq) return;
        const sql =
          'INSERT OR REPLACE INTO checkpoints (session_id, seq, hash, version, digest, state) VALUES (?, ?, ?, ?, ?, ?)';
        database.run(sql, session, seq, head.hash, version, toDigest(text), text);
      });
    },
  };
}

function readState(database: Database, session: string, version: string): State | undefined {
  const sql = 'SELECT seq, hash, version, digest, state FROM checkpoints WHERE session_id = ? AND version = ?';
  const row = database.get<Checkpoint>(sql, session, version);
  if (!row) return undefined;
  const event = database.get<{ record: string }>(
    'SELECT record FROM events WHERE session_id = ? AND seq = ?',
    session,
    row.seq,
  );
  return fromCheckpoint(row, event?.record);
}

/**
 * Compares the cached state with a fold of the log. Undefined when they are equal or no state is cached; otherwise the
 * seq of the last event in the cached state.
 */
export function findAlteredState(database: Database, session: string): number | undefined {
  const cached = readState(database, session, FOLD_VERSION);
  if (!cached) return undefined;
  const state = createState();
  for (const event of readEvents(database, session, 0)) {
    if (event.seq > cached.seq) break;
    fold(state, event);
  }
  return isSameState(state, cached) ? undefined : cached.seq;
}
