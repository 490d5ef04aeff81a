export { createWorkspace, type WorkspaceOptions } from './local-workspace.ts';
export { createSecretSource, type SecretSource, type SecretSourceOptions } from './secrets/secret-source.ts';
export { type FileFinding, readSecretsAllow, scanFiles } from './secrets/scan-files.ts';
export type { GcOptions, GcReport } from './snapshots/gc.ts';
export type { GitState } from './snapshots/git-state.ts';
export { createSnapshots, type LocalSnapshots, type SnapshotsOptions } from './snapshots/local-snapshots.ts';
export type { Uncovered } from './snapshots/scan.ts';
export { listSnapshotStores, type SnapshotStore } from './snapshots/snapshot-stores.ts';
export { createLayers, type LayersOptions, type LocalLayers } from './layer/create-layers.ts';
