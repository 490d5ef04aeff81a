export type { BuiltinTool } from './builtin-tool.ts';
export { findCommitted } from './git/committed-files.ts';
export { createCheckpoint, type Checkpoint, type CheckpointContext } from './git/checkpoint.ts';
export { commitChanges } from './git/commit-changes.ts';
export { pushBranch } from './git/push-branch.ts';
export { stageChanges, type StagedChanges } from './git/stage-changes.ts';
export { expireCheckpoints } from './git/expire-checkpoints.ts';
export { findIgnored } from './git/ignored-files.ts';
export { builtinTools } from './registry.ts';
