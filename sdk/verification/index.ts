export { openCheckEnvironment, type CheckEnvironment } from './check-environment.ts';
export { toCheckRow } from '@klaus/adapters/tools';
/** Tools that no model calls: a door calls them with the command `call`, around a review of what they prepare. */
export { commitChanges, stageChanges, type StagedChanges } from '@klaus/adapters/tools';
export { parseDiff, review, REVIEWERS, type Judge } from '@klaus/core/reviewers';
export { describeUnknownField } from '@klaus/core/protocol';
