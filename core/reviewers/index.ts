export { changedFileSchema, type ChangedFile, type ChangedLines } from './changes/changed-file.ts';
export { parseDiff, toChangedFile } from './changes/parse-diff.ts';
export type { ReviewedCall, Spoken } from './calls/reviewed-call.ts';
export { findErrors, type FoundError } from './errors/find-errors.ts';
export type { Judge, JudgeAnswer, JudgeRequest } from './judge.ts';
export { review, toAnswerSchema, type ReviewMode, type ReviewOptions } from './review.ts';
export {
  type ReviewCost,
  type Reviewer,
  type ReviewFinding,
  type ReviewQuestion,
  type ReviewVerdict,
  toReview,
} from './reviewer.ts';
export { REVIEWERS } from './reviewers.ts';
export type { ReviewerName } from '../protocol/settings/reviewer-settings.ts';
export type { VerdictCache } from './verdict-cache.ts';
