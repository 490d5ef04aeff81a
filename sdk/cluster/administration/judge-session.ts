import type { ActiveSession } from '@klaus/adapters/postgres-store';

/**
 * What a session of a cluster does. `running`: a live process holds it, or a session below it. `waiting`: for an approval.
 * `queued`: it has something to do. `stuck`: the same for too long, or it could not run. `moved`: it runs at another place.
 */
export const SESSION_STATES = ['running', 'waiting', 'queued', 'idle', 'stuck', 'moved'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/** Why a session is stuck. */
export type StuckReason =
  /** A worker could not run it. */
  | 'problem'
  /** A command waits for too long. */
  | 'command'
  /** Its run has no end, and no live process works on it. */
  | 'run'
  /** The worker that has it does not renew its lease: it was killed, or lost Postgres. Another one takes it. */
  | 'worker'
  /** Its move to or from another place is not complete. */
  | 'move';

export interface JudgedSession {
  state: SessionState;
  /** Why it is stuck, or `slot`: its project has no free slot. Null: it is as it should be. */
  reason: StuckReason | 'slot' | null;
}

type Facts = Pick<
  ActiveSession,
  'status' | 'isHeld' | 'isLost' | 'isAsking' | 'needsSlot' | 'waitingMs' | 'idleMs' | 'problem' | 'move'
>;

/** @param stuckMs Milliseconds after which a session counts as stuck. */
export function judgeSession(facts: Facts, stuckMs: number): JudgedSession {
  const { status, isHeld, isLost, isAsking, needsSlot, waitingMs, idleMs, problem, move } = facts;
  const stuck = (reason: StuckReason): JudgedSession => ({ state: 'stuck', reason });
  const is = (state: SessionState): JudgedSession => ({ state, reason: null });
  if (move) return move.state === 'leaving' || move.state === 'arriving' ? stuck('move') : is('moved');
  if (isHeld) return is('running');
  if (isLost && status === 'running') return stuck('worker');
  if (needsSlot) return { state: 'queued', reason: 'slot' };
  if (problem && (waitingMs !== null || status === 'running')) return stuck('problem');
  if (waitingMs !== null) return waitingMs >= stuckMs ? stuck('command') : is('queued');
  if (isAsking) return is('waiting');
  if (status !== 'running') return is('idle');
  return idleMs >= stuckMs ? stuck('run') : is('queued');
}
