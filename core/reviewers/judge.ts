import type { z } from 'zod';
import type { Tier } from '../protocol/settings/provider-table.ts';
import type { ReviewerName } from '../protocol/settings/reviewer-settings.ts';

export interface JudgeRequest {
  reviewer: ReviewerName;
  tier: Tier;
  system: string;
  prompt: string;
  /** The shape of the answer, for providers with structured output. The caller checks the answer itself. */
  schema: z.ZodType;
  signal: AbortSignal;
}

export interface JudgeAnswer {
  /** The parsed JSON of the answer; its text if it is no JSON. Not checked. */
  answer: unknown;
  /** Full name, `provider/id`. */
  model: string;
  /** Tokens. */
  input: number;
  output: number;
  /** US dollars; null if the price is unknown. */
  usd: number | null;
}

/**
 * A model that answers the questions of reviewers. It limits the time of a request.
 *
 * @throws if the request fails, is aborted, or takes too long.
 */
export interface Judge {
  /** Tiers that replace those of the reviewers. */
  readonly tiers?: Partial<Readonly<Record<ReviewerName, Tier>>>;
  judge(request: JudgeRequest): Promise<JudgeAnswer>;
}
