import { isWorkaround, toDenialKey, toWorkaroundReason } from '../../policy/index.ts';
import type { Decision, Review } from '../../protocol/index.ts';
import type { ReviewerName } from '../../protocol/settings/reviewer-settings.ts';
import { review, toReview, type ReviewVerdict, type VerdictCache } from '../../reviewers/index.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { ReviewSettings } from '../loop/settings.ts';
import type { Work } from '../loop/work.ts';
import { runOf } from '../state/state.ts';
import { listReviews, toAppeal, type Question } from './list-reviews.ts';
import { createLoopJudge, findJudgeModel } from './loop-judge.ts';
import { toMissingNotice } from './missing-notice.ts';

/** The decision of the gate, narrowed by reviewers. */
export type ReviewedDecision = Decision & { reviews?: Review[] };

/**
 * Asks reviewers about a call. The first denial counts, unless the words of the user overturn it. A third similar denial
 * within a minute becomes a question to the user.
 */
export async function askReviewers(
  work: Work,
  ready: ReadyCall,
  { decision, names }: { decision: Decision; names: ReadonlySet<ReviewerName> },
): Promise<ReviewedDecision> {
  const reviews: Review[] = [];
  const judge = async (question: Question): Promise<ReviewVerdict> => {
    const verdict = await askReviewer(work, question);
    reviews.push(toReview(verdict));
    return verdict;
  };
  for (const question of await listReviews(work, ready, names)) {
    // What the gate asks about is decided by the user.
    if (decision.verdict === 'ask' && question.reviewer.name === 'tool-approve') continue;
    const verdict = await judge(question);
    if (work.stop.aborted) return decision;
    if (verdict.outcome === 'pass') continue;
    const mayAppeal = names.has('tool-appeal');
    if (mayAppeal && (await judge(toAppeal(work, ready, verdict.reason))).outcome === 'pass') continue;
    return deny(work, ready, { decision: { ...decision, reviews }, verdict });
  }
  await reportMissing(work, reviews);
  return reviews.length === 0 ? decision : { ...decision, reviews };
}

function deny(
  { state, engine }: Work,
  { call }: ReadyCall,
  { decision, verdict: { reviewer: rule, reason: given } }: { decision: ReviewedDecision; verdict: ReviewVerdict },
): ReviewedDecision {
  const reason = given.trim().replace(/\.$/, '');
  const narrow = (verdict: 'ask' | 'deny', why: string): ReviewedDecision => ({
    ...decision,
    verdict,
    rule,
    reason: why,
    findings: [...decision.findings, { rule, verdict, reason: why }],
  });
  // A question that was asked stays one, so that its answer counts.
  const isAsked = call.asked?.subject.kind === 'call';
  if (!isAsked && !isWorkaround(state.denials, toDenialKey('call', rule, reason), engine.clock.now()))
    return narrow('deny', reason);
  return narrow('ask', toWorkaroundReason(reason));
}

/** Asks one reviewer. A verdict of a model is durable, with the cost of its request, before this returns. */
async function askReviewer(work: Work, { reviewer, input }: Question): Promise<ReviewVerdict> {
  const { engine, state } = work;
  const settings = engine.settings.reviews as ReviewSettings;
  const model = await findJudgeModel(work, settings.tiers?.[reviewer.name] ?? reviewer.tier);
  const judge = model && createLoopJudge(work, model, settings);
  let contentHash = '';
  const cache: VerdictCache = {
    async get(key) {
      contentHash = engine.ids.digest(key);
      return state.reviews.get(contentHash) as ReviewVerdict | undefined;
    },
    // The event of the request is the record of the verdict.
    async set() {},
  };
  const verdict = await review(reviewer, input, { judge, cache, mode: 'strict', signal: work.stop });
  const attempted = judge?.take();
  if (!attempted) return verdict;
  const { usd: _, ...given } = toReview(verdict);
  await work.append([
    { ...attempted, ...(verdict.decidedBy === 'model' ? { review: { ...given, contentHash } } : {}) },
  ]);
  return verdict;
}

async function reportMissing(work: Work, reviews: readonly Review[]): Promise<void> {
  if (work.state.isReviewMissing || !reviews.some(isMissing)) return;
  await work.append([toMissingNotice(runOf(work.state).id)]);
}

function isMissing({ decidedBy, outcome }: Review): boolean {
  return decidedBy === 'unavailable' && outcome === 'pass';
}
