import { toLineageFacts } from '../../policy/index.ts';
import type { Event, EventOf, EventType } from '../../protocol/index.ts';
import { book } from '../budget/ledger.ts';
import { foldAnswer, foldDecision, foldFinish, foldQuestion, foldScope, foldStart } from './fold-calls.ts';
import { foldChildClosing, foldChildFinish, foldChildOpening, foldWait } from './fold-children.ts';
import { foldCompaction, foldMessage, foldPin, foldUnpin } from './fold-messages.ts';
import { foldAttempt, foldRunEnd, foldRunStart, foldTurnEnd, foldTurnStart } from './fold-runs.ts';
import { foldRefusal } from './fold-refusals.ts';
import { foldProcess, foldRunner, foldSessionChange, foldSessionOpening } from './fold-session.ts';
import { foldCommit, foldSnapshot } from './fold-workspace.ts';
import type { State } from './state.ts';

/** How each type of event changes the state. */
const FOLDS: { readonly [T in EventType]: ((state: State, event: EventOf<T>) => void) | undefined } = {
  'session.opened': foldSessionOpening,
  'session.changed': foldSessionChange,
  'session.closed': (state) => {
    state.closed = true;
  },
  'run.started': foldRunStart,
  'run.finished': foldRunEnd,
  'runner.opened': foldRunner,
  'turn.started': foldTurnStart,
  'turn.finished': foldTurnEnd,
  'model.requested': undefined,
  'model.attempted': foldAttempt,
  'message.added': foldMessage,
  'tool.started': foldStart,
  'tool.waiting': foldWait,
  'tool.finished': foldFinish,
  'approval.asked': foldQuestion,
  'approval.answered': foldAnswer,
  'approval.changed': foldScope,
  'grant.changed': (state, { grant }) => {
    state.grant = grant;
  },
  'grant.escalated': undefined,
  'child.opened': foldChildOpening,
  'child.finished': foldChildFinish,
  'child.closed': foldChildClosing,
  'gate.decided': foldDecision,
  'workspace.snapshotted': foldSnapshot,
  'workspace.restored': (state) => {
    delete state.tree;
  },
  'workspace.committed': foldCommit,
  'workingCopy.ended': undefined,
  'compaction.requested': (state) => {
    if (state.run) state.run.isCompactionRequested = true;
  },
  'context.compacted': foldCompaction,
  'context.pinned': foldPin,
  'context.unpinned': foldUnpin,
  'content.refused': foldRefusal,
  'process.changed': foldProcess,
  'usage.counted': (state, { limit }) => {
    state.run?.warned.add(limit);
  },
  'evidence.verified': undefined,
  notice: undefined,
};

/**
 * Applies one event to the state, which is changed in place: it has one owner, and a copy of the history for every
 * event would make a long session quadratic.
 */
export function fold(state: State, event: Event): void {
  state.seq = event.seq;
  book(state.ledger, event);
  const apply = FOLDS[event.type] as ((state: State, event: Event) => void) | undefined;
  apply?.(state, event);
  if (state.session) state.lineage.push(...toLineageFacts(event, state.session));
}
