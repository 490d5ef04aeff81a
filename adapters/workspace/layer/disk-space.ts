import { statfsSync } from 'node:fs';
import { KlausError } from '@klaus/core/protocol';

/** Bytes after which the disk is asked again: others write to it too. */
const REMEASURE_BYTES = 64 * 2 ** 20;
/** What a small file or folder takes at least. */
const BLOCK = 4_096;

/** The room that is left on a disk for a working copy. */
export interface DiskSpace {
  /** @throws KlausError `sandbox.unavailable` when so many bytes more would not leave the reserve free. */
  take(bytes: number): void;
}

/** @param reserve Bytes of the disk that stay free. */
export function measureDiskSpace(folder: string, reserve: number): DiskSpace {
  let free = measure(folder) - reserve;
  let asked = 0;
  return {
    take(bytes) {
      const size = Math.ceil(bytes / BLOCK) * BLOCK;
      asked += size;
      if (asked > REMEASURE_BYTES) {
        free = measure(folder) - reserve;
        asked = size;
      }
      free -= size;
      if (free < 0) throw toDiskFullError(folder);
    },
  };
}

export function toDiskFullError(folder: string, cause?: unknown): KlausError {
  return new KlausError('sandbox.unavailable', `There is no room for a working copy of the workspace in ${folder}.`, {
    hint: 'Free some space on that disk, or set KLAUS_HOME to a folder on a larger one.',
    retryable: true,
    cause,
  });
}

function measure(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
