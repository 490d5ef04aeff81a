import { relative } from 'node:path';
import { findClaims, REVIEWERS, review, toReview, type ReviewVerdict } from '@klaus/sdk/guard';
import { canBlock, listAcknowledged, openErrors } from './guarded-session.ts';
import type { HookContext } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toBlock } from './hook-answer.ts';
import { readTranscript, toRequests } from './transcript.ts';

interface Objection {
  rule: string;
  reason: string;
}

/** Checks the end of a turn: evidence for what Claude reports, errors that it ignored, and work that the user did not ask for. */
export async function atStop(context: HookContext): Promise<HookAnswer> {
  const { event, session } = context;
  const message = event.last_assistant_message ?? '';
  const reviews: ReviewVerdict[] = [];
  const found = canBlock(session)
    ? (findMissingEvidence(context, message) ?? (await reviewEnd(context, { message, reviews })))
    : undefined;
  const { rule, reason } = found ?? { rule: 'stop', reason: 'nothing speaks against it' };
  await context.decided({
    text: message,
    verdict: found ? 'deny' : 'allow',
    rule,
    reason,
    ...(reviews.length === 0 ? {} : { reviews: reviews.map(toReview) }),
  });
  return found ? toBlock(`Klaus: ${reason}`) : NO_OBJECTION;
}

/** "Done" counts only with a check that ran after the last edit. */
function findMissingEvidence({ session, event }: HookContext, message: string): Objection | undefined {
  if (session.lastEdit === 0 || findClaims(message).length === 0) return undefined;
  const { lastCheck, lastEdit, lastEdited } = session;
  if (lastCheck && lastCheck.seq > lastEdit) {
    if (lastCheck.passed) return undefined;
    return { rule: 'evidence', reason: `the last check failed: ${lastCheck.text}. Fix it, or say that it fails` };
  }
  // The same objection is not made twice in a turn: Claude may have a reason.
  if (event.stop_hook_active === true) return undefined;
  return {
    rule: 'evidence',
    reason: `you report success, and no check ran after the edit of ${lastEdited}. Run the checks of the project, or say that you did not`,
  };
}

async function reviewEnd(
  { session, judge, event, cache, signal, root }: HookContext,
  { message, reviews }: { message: string; reviews: ReviewVerdict[] },
): Promise<Objection | undefined> {
  if (event.stop_hook_active === true) return undefined;
  const recent = [
    ...(await readTranscript(event.transcript_path)).slice(-20),
    { role: 'assistant' as const, text: message },
  ];
  const options = { judge, cache, signal, mode: 'strict' as const };
  if (openErrors(session, Date.now()).length > 0) {
    const acknowledged = listAcknowledged(session, Date.now());
    const verdict = await review(REVIEWERS['error-acknowledge'], { recent, acknowledged }, options);
    session.errors = [];
    reviews.push(verdict);
    if (verdict.outcome === 'deny') return { rule: verdict.reviewer, reason: verdict.reason };
  }
  const request = session.prompts.length > 0 ? session.prompts : toRequests(recent);
  if (request.length === 0) return undefined;
  const changed = session.edited.map((path) => relative(root, path));
  const verdict = await review(REVIEWERS['intent-validate'], { request, recent, changed }, options);
  reviews.push(verdict);
  return verdict.outcome === 'deny' ? { rule: verdict.reviewer, reason: verdict.reason } : undefined;
}
