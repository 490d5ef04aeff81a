export { createHostFiles } from './host-files.ts';
export { compareNames } from './compare-names.ts';
export { openFolder } from './local-folder.ts';
export { createWorkspace } from './local-workspace.ts';
export { findRefusal, openWorkspaceRoot } from './root.ts';
export { findStateLinks, overlaps } from './state-links.ts';
export { createSecretFiles } from './secrets/find-secret-files.ts';
export { readFilesState } from './files-state.ts';
export { listFiles } from './secrets/list-files.ts';
export { createSecretSource, joinSecretSources } from './secrets/secret-source.ts';
export { type FileFinding, readSecretsAllow, scanFiles } from './secrets/scan-files.ts';
export type { SnapshotLimits } from './snapshots/room.ts';
export { createSnapshots } from './snapshots/create-snapshots.ts';
export type { LocalSnapshots, SnapshotsOptions } from './snapshots/local-snapshots.ts';
export { rebuildWorkspace, type WorkspaceState } from './snapshots/transfer/rebuild.ts';
export { listSnapshotStores } from './snapshots/snapshot-stores.ts';
export { createLayers } from './layer/create-layers.ts';
export {
  createCopies,
  findOriginal,
  findSharedObjects,
  hasCopy,
  listEndingCopies,
  type Copies,
  type NewCopy,
} from './copies/copies.ts';
export { disarmRepositories } from './repositories/disarm-repositories.ts';
export { findConfiguredPlaces } from './repositories/configured-places.ts';
export { cloneRepository } from './repositories/clone-repository.ts';
