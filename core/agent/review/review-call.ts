import type { Decision } from '../../protocol/index.ts';
import type { ReviewerName } from '../../protocol/settings/reviewer-settings.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { Work } from '../loop/work.ts';
import { openedOf } from '../state/state.ts';
import type { ReviewedDecision } from './ask-reviewers.ts';

export type { ReviewedDecision } from './ask-reviewers.ts';

/** The reviewers of the calls of a session: those of the settings and of its agent. */
function listReviewers({ engine, state }: Work): ReadonlySet<ReviewerName> {
  const { reviews } = engine.settings;
  const { runner, reviewers = [] } = openedOf(state);
  // The program that drives the agent has requests of its own in flight.
  return new Set(reviews && !runner ? [...reviews.use, ...reviewers] : []);
}

/** Asks the reviewers about a call that the gate does not deny, if there are any. */
export async function reviewCall(work: Work, ready: ReadyCall, decision: Decision): Promise<ReviewedDecision> {
  const { call } = ready;
  const names = listReviewers(work);
  if (names.size === 0 || decision.verdict === 'deny' || call.by === 'user') return decision;
  // The user has decided. An approval of what the gate allows is an answer to a reviewer, and bound to its question.
  if (call.answer !== undefined && !(call.answer === 'approved' && decision.verdict === 'allow')) return decision;
  const { askReviewers } = await import('./ask-reviewers.ts');
  return await askReviewers(work, ready, { decision, names });
}
