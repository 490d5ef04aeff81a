/** What doors need to judge the work of another agent. */
export { findClaims, readChecks } from '@klaus/core/policy';
export { describePlace, isBelow, isSecretFile, placeOf } from '@klaus/core/policy';
export {
  type Judge,
  type ReviewedCall,
  type Reviewer,
  type ReviewMode,
  type ReviewVerdict,
  review,
  REVIEWERS,
  type Spoken,
  toChangedFile,
  type VerdictCache,
} from '@klaus/core/reviewers';
