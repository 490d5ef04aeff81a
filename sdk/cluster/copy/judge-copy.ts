import { toMovedError, type ChainHead, type SessionMove } from '@klaus/adapters/store';
import { KlausError } from '@klaus/core/protocol';

/** A session at both ends of a copy. */
export interface CopyFacts {
  session: string;
  /** Of the target, where the session may not exist. */
  relation: 'new' | 'behind' | 'same' | 'ahead' | 'differs';
  /** Why the session does not run at the source. */
  sourceMove: SessionMove | undefined;
  /** Why the session does not run at the target. */
  targetMove: SessionMove | undefined;
  /** Commands that wait at the source and that the target does not know. */
  unknownCommands: number;
  /** The places of both ends. */
  from: string;
  to: string;
}

/** What a copy does with a session. `left`: the target has everything, so that only the source is changed. */
export type CopyStep = 'store' | 'left' | 'skip';

/**
 * What a move of a session to the target does. After it, exactly one of both places runs the session.
 *
 * @throws KlausError `session.differs`, `session.moved`.
 */
export function judgeMove(facts: CopyFacts): CopyStep {
  const { session, relation, sourceMove, targetMove, unknownCommands, from, to } = facts;
  if (relation === 'differs') throw toDiffers(facts);
  const hasAll = relation === 'same' || relation === 'ahead';
  const isLeaving = sourceMove?.state === 'leaving' && sourceMove.place === to;
  if (sourceMove && !isLeaving) {
    if (hasAll) return 'skip';
    throw toMovedError(session, sourceMove);
  }
  if (!hasAll) return 'store';
  if (relation === 'same') return targetMove || unknownCommands > 0 ? 'store' : 'left';
  if (!targetMove && unknownCommands === 0) return 'left';
  const why = targetMove ? 'does not run there' : `has commands at ${from} that it does not have there`;
  throw new KlausError('session.differs', `The session ${session} has later records at ${to}, and ${why}.`, {
    hint: `Compare both with \`klaus show ${session}\`, and delete the wrong one with \`klaus db clear-sessions\`.`,
  });
}

/**
 * What a plain copy does, which never changes where a session runs.
 *
 * @throws KlausError `session.differs`, `session.moved`, `usage`.
 */
export function judgeKeep(facts: CopyFacts): CopyStep {
  const { session, relation, sourceMove, targetMove, to } = facts;
  if (relation === 'differs') throw toDiffers(facts);
  if (relation === 'same' || relation === 'ahead') return 'skip';
  for (const move of [sourceMove, targetMove])
    if (move?.state === 'leaving' || move?.state === 'arriving') throw toMovedError(session, move);
  if (relation === 'behind' && !targetMove) {
    throw new KlausError('usage', `The session ${session} can run at ${to}, so that a copy must not change it.`, {
      hint: 'Move the session: copy it without `--keep`.',
    });
  }
  return 'store';
}

function toDiffers({ session, from, to }: CopyFacts): KlausError {
  return new KlausError('session.differs', `The session ${session} has different records at ${from} and at ${to}.`, {
    hint: `Neither continues the other. Keep one of them, or continue from a log with \`klaus fork ${session}\`.`,
  });
}

/** How a chain at the target relates to that of the source. */
export async function relate(
  { source, target }: { source: ChainHead; target: ChainHead },
  hashOf: {
    source: (seq: number) => Promise<string | undefined>;
    target: (seq: number) => Promise<string | undefined>;
  },
): Promise<CopyFacts['relation']> {
  if (target.seq === 0) return 'new';
  if (target.seq === source.seq) return target.hash === source.hash ? 'same' : 'differs';
  if (target.seq < source.seq) return (await hashOf.source(target.seq)) === target.hash ? 'behind' : 'differs';
  return (await hashOf.target(source.seq)) === source.hash ? 'ahead' : 'differs';
}
