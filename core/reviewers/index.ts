export { changedFileSchema, type ChangedFile, type ChangedLines } from './changes/changed-file.ts';
export { parseDiff, toChangedFile } from './changes/parse-diff.ts';
export type { ReviewedCall, Spoken } from './calls/reviewed-call.ts';
export { findErrors, type FoundError } from './errors/find-errors.ts';
export type { Judge, JudgeAnswer, JudgeRequest } from './judge.ts';
export { review, toAnswerSchema, type ReviewMode, type ReviewOptions } from './review.ts';
export {
  REVIEWER_NAMES,
  type ReviewCost,
  type Reviewer,
  type ReviewerName,
  type ReviewFinding,
  type ReviewQuestion,
  type ReviewVerdict,
} from './reviewer.ts';
export { REVIEWERS } from './reviewers.ts';
export type { VerdictCache } from './verdict-cache.ts';
