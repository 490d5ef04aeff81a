import type { Conversation } from '@klaus/core/conversation';
import { conversationOf } from './session-log.ts';

/** True if a turn after this one changed files. */
export function hasChanges({ changing }: Pick<Conversation, 'changing'>, after: number): boolean {
  return [...changing].some((turn) => turn > after);
}

/** True if the last run failed. False for a session that is not loaded. */
export function isLastFailed(session: string): boolean {
  const conversation = conversationOf(session);
  const { run, lastOutcome } = conversation ?? {};
  return !run && (lastOutcome === 'failed' || lastOutcome === 'model_failed');
}

/** True if files changed since the last prompt, and for a session that is not loaded. */
export function isChangedByLast(session: string): boolean {
  const conversation = conversationOf(session);
  const last = conversation?.entries.findLast((entry) => entry.kind === 'user' && !entry.steered);
  return !conversation || last?.kind !== 'user' || hasChanges(conversation, last.turn);
}
