/** What doors need to judge the work of another agent. */
export { listEntries, listNames } from '@klaus/adapters/system';
export { findStateLinks, readFilesState } from '@klaus/adapters/workspace';
export { findClaims, judgeClaims, readChecks } from '@klaus/core/policy';
export type { Check, Evidence } from '@klaus/core/protocol';
export {
  type Denial,
  describePlace,
  describeVariable,
  evaluateCommand,
  findFetchedPaths,
  findNetworkNeed,
  findScripts,
  findWrittenPaths,
  isBelow,
  isSecretFile,
  isSecretPlace,
  isWorkaround,
  namesMetadata,
  mapText,
  placeOf,
  toDenialKey,
  toWorkaroundReason,
} from '@klaus/core/policy';
export { singleQuote } from '@klaus/core/protocol';
export {
  findErrors,
  type Judge,
  type ReviewedCall,
  type Reviewer,
  type ReviewMode,
  type ReviewVerdict,
  review,
  REVIEWERS,
  type ReviewerName,
  type Spoken,
  parseDiff,
  toChangedFile,
  toReview,
  type VerdictCache,
} from '@klaus/core/reviewers';
export { createJudge, type JudgeOptions } from './reviewers/judge.ts';
export { createVerdictCache } from './reviewers/verdict-cache.ts';
