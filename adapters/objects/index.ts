export { collectGarbage, type GarbageOptions, type GarbageReport } from './collect-garbage.ts';
export { collectWorkspaces, type WorkspaceGarbageOptions } from './collect-workspaces.ts';
export { GRACE_MS } from './grace.ts';
export { ObjectBlobs, toBlobKey, type ObjectBlobsOptions } from './object-blobs.ts';
export type { ObjectBody, ObjectStore, StoredObject } from './object-store.ts';
export { openS3, type S3Options } from './s3-objects.ts';
export { S3_VERSION } from './s3-package.ts';
export {
  archiveState,
  countKnown,
  findState,
  isBase,
  readPacks,
  renewState,
  toWorkspaceName,
  type ArchivedState,
} from './state-archive.ts';
export { findSource, storeSource, type WorkspaceSource } from './workspace-source.ts';
