import { headOf } from '@klaus/sdk/cut-text';
import { relative } from 'node:path';
import {
  findClaims,
  judgeClaims,
  REVIEWERS,
  review,
  toReview,
  type Evidence,
  type ReviewVerdict,
} from '@klaus/sdk/guard';
import { readState } from './checks.ts';
import { canBlock, type GuardedCheck, listAcknowledged, openErrors } from './guarded-session.ts';
import type { HookContext } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toBlock } from './hook-answer.ts';
import { readTranscript, toRequests } from './transcript.ts';

/** Characters of a claim that are quoted. */
const MAX_SAID = 100;

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
    ? ((await findMissingEvidence(context, message)) ?? (await reviewEnd(context, { message, reviews })))
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

/** A claim of success needs a check of its kind that passed on the files as they are now. */
async function findMissingEvidence(context: HookContext, message: string): Promise<Objection | undefined> {
  const { session, event } = context;
  const claims = findClaims(message);
  if (claims.length === 0) return undefined;
  const state = await readState(context);
  const rows = session.checks.map((check) => toEvidence(check, { state, lastEdit: session.lastEdit }));
  const hasChanged = session.lastEdit > 0 || (state !== undefined && session.firstState !== state);
  const [found] = judgeClaims(claims, rows).filter(({ status }) =>
    hasChanged ? status !== 'verified' : status === 'contradicted',
  );
  if (!found) return undefined;
  const last = session.checks.findLast(({ doubt }) => doubt === undefined);
  const isFailed = found.status === 'contradicted' && last?.passed === false;
  // The same objection is not made twice in a turn: Claude may have a reason.
  if (!isFailed && event.stop_hook_active === true) return undefined;
  const todo = isFailed
    ? 'Fix it, or say that it fails'
    : 'Run the checks of the project, wait for their end, or say that you did not';
  return { rule: 'evidence', reason: `you report "${headOf(found.said, MAX_SAID)}". ${found.reason} ${todo}` };
}

function toEvidence(
  { seq, command, passed, checks, doubt, state: seen }: GuardedCheck,
  { state, lastEdit }: { state: string | undefined; lastEdit: number },
): Evidence {
  // Without states, only edits by the tools for edits are known.
  const isStale = seq < lastEdit || (seen !== undefined && state !== undefined && seen !== state);
  return {
    ...{ call: String(seq), command, exitCode: passed ? 0 : 1, checks, doubt },
    freshness: isStale ? 'stale' : 'fresh',
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
