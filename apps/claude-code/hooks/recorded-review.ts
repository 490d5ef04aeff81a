import type { HostEventOf } from '@klaus/sdk';
import type { ReviewVerdict } from '@klaus/sdk/guard';

export type RecordedReview = NonNullable<HostEventOf<'guard.decided'>['reviews']>[number];

/** A verdict as the host chain has it. */
export function toRecorded({ reviewer, outcome, reason, decidedBy, cost }: ReviewVerdict): RecordedReview {
  const usd = cost?.usd ?? undefined;
  return { reviewer, outcome, reason, decidedBy, ...(usd === undefined ? {} : { usd }) };
}
