export { collectGarbage, type GarbageOptions, type GarbageReport } from './collect-garbage.ts';
export { GRACE_MS, ObjectBlobs, toBlobKey, type ObjectBlobsOptions } from './object-blobs.ts';
export type { ObjectBody, ObjectStore, StoredObject } from './object-store.ts';
export { openS3, type S3Options } from './s3-objects.ts';
export { S3_VERSION } from './s3-package.ts';
export { archiveState, findState, isBase, readPacks, type ArchivedState } from './state-archive.ts';
