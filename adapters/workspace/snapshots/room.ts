import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from './database.ts';
import { listSnapshotStores } from './snapshot-stores.ts';

/** Limits of what the snapshots of large files may take, in bytes. */
export interface SnapshotLimits {
  /** Of one workspace. 0: none. */
  workspace: number;
  /** Of all workspaces. 0: none. */
  total: number;
}

/** Smaller files are always stored: they are what people edit. */
const LARGE_BYTES = 16 * 1024 * 1024;
/** What has to stay free on the disk. */
const RESERVE_BYTES = 1024 * 1024 * 1024;

/** The room for the contents of large files. It is measured when the first one is stored. */
export class Room {
  readonly #db: Database;
  readonly #limits: SnapshotLimits;
  #left: number | undefined;

  constructor(db: Database, limits: SnapshotLimits) {
    this.#db = db;
    this.#limits = limits;
  }

  /** True if a file of this size may be stored. It counts as stored then. */
  take(bytes: number): boolean {
    if (bytes < LARGE_BYTES) return true;
    const left = (this.#left ??= this.#measure());
    if (bytes > left) return false;
    this.#left = left - bytes;
    return true;
  }

  #measure(): number {
    const { workspace, total } = this.#limits;
    const { bavail, bsize } = statfsSync(this.#db.folder);
    const used = this.#db.get<{ bytes: number | null }>('SELECT sum(stored) AS bytes FROM blocks')?.bytes ?? 0;
    const stores = total === 0 ? [] : listSnapshotStores(dirname(this.#db.folder));
    return Math.min(
      bavail * bsize - RESERVE_BYTES,
      workspace === 0 ? Number.POSITIVE_INFINITY : workspace - used,
      total === 0 ? Number.POSITIVE_INFINITY : total - stores.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  }
}
