import type { Conversation } from './conversation.ts';
import { conversationOf } from './session-log.ts';

/** True when a turn after this one changed files. */
export function hasChanges({ changing }: Pick<Conversation, 'changing'>, after: number): boolean {
  for (const turn of changing) if (turn > after) return true;
  return false;
}

/** True when the last run has ended by a failure, as far as that is known here. */
export function isLastFailed(session: string): boolean {
  const conversation = conversationOf(session);
  const { run, lastOutcome } = conversation ?? {};
  return !run && (lastOutcome === 'failed' || lastOutcome === 'model_failed');
}

/** True when files were changed since the last prompt, or when that is not known here. */
export function isChangedByLast(session: string): boolean {
  const conversation = conversationOf(session);
  const last = conversation?.entries.findLast((entry) => entry.kind === 'user' && !entry.steered);
  return !conversation || last?.kind !== 'user' || hasChanges(conversation, last.turn);
}
