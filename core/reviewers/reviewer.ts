import type { z } from 'zod';
import type { Review } from '../protocol/authority/review.ts';
import type { Tier } from '../protocol/settings/provider-table.ts';
import type { ReviewerName } from '../protocol/settings/reviewer-settings.ts';

/** One place to which a verdict refers. */
export interface ReviewFinding {
  /** Path as in the input. */
  file?: string;
  /** Line in the new text, from 1. */
  line?: number;
  text: string;
}

/** What the model answered to one review, summed over repeats. */
export interface ReviewCost {
  /** Full name, `provider/id`. */
  model: string;
  requests: number;
  /** Tokens. */
  input: number;
  output: number;
  /** Null if a price is unknown, or a request ended without a report. */
  usd: number | null;
}

/**
 * The result of a review. `pass` means no objection: it never allows what another rule refuses. Of an appeal, `pass`
 * overturns the denial.
 */
export interface ReviewVerdict {
  reviewer: ReviewerName;
  outcome: 'pass' | 'deny';
  /** One sentence or two. Of a model: untrusted text. */
  reason: string;
  /**
   * `rules`: the deterministic pass. `model`: the judge. `unavailable`: the rules did not decide, and no judge
   * answered; `reason` says why.
   */
  decidedBy: 'rules' | 'model' | 'unavailable';
  findings?: readonly ReviewFinding[];
  /** True if the verdict is one that a model gave for the same content before. */
  cached?: boolean;
  /** True in lazy mode if the judge still works on it: its verdict follows through `onLate`. */
  pending?: boolean;
  /** Absent without a request to a model. */
  cost?: ReviewCost;
}

/** A verdict as events contain it. */
export function toReview({ reviewer, outcome, reason, decidedBy, cost }: ReviewVerdict): Review {
  return { reviewer, outcome, reason, decidedBy, usd: cost?.usd ?? undefined };
}

/** The result of the deterministic pass. */
export type RuleVerdict = Pick<ReviewVerdict, 'outcome' | 'reason' | 'findings'>;

/** The request to the model. */
export interface ReviewQuestion {
  /** Trusted and the same for every input. */
  system: string;
  /** Untrusted parts are marked by `quoteData`. */
  prompt: string;
}

/** One reviewer: a narrow question about one action of an agent. It closes over nothing and has no effects. */
export interface Reviewer<Input = never> {
  readonly name: ReviewerName;
  /** Default tier of its model. */
  readonly tier: Tier;
  /** Increases with every change of its prompt or its rules: cached verdicts of another version are not used. */
  readonly version: number;
  readonly input: z.ZodType<Input>;
  /** The two words of the model's answer. */
  readonly words: { readonly pass: string; readonly deny: string };
  /** The outcome if the rules do not decide and there is no judge. Default `pass`; `deny` for an appeal. */
  readonly withoutJudge?: 'pass' | 'deny';
  /** The deterministic pass. Undefined: not decided. */
  decide(input: Input): RuleVerdict | undefined;
  ask(input: Input): ReviewQuestion;
}

/** Checks a declaration against its type. */
export function defineReviewer<Input>(reviewer: Reviewer<Input>): Reviewer<Input> {
  return reviewer;
}
