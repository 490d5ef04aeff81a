import { lstatSync } from 'node:fs';
import type { Root } from '../path-entry.ts';
import { openRoot } from '../path-entry.ts';
import { Batch } from './objects/batch.ts';
import type { Database } from './database.ts';
import { ObjectWriter } from './objects/object-writer.ts';
import type { Objects } from './objects/objects.ts';
import type { Yielder } from '../yielder.ts';
import type { Scan } from './scan/scan.ts';
import type { StatCache } from './scan/stat-cache.ts';
import type { Trees } from './trees.ts';

/** One workspace and what is store of it. */
export interface SnapshotStore {
  root: Root;
  db: Database;
  statCache: StatCache;
  trees: Trees;
  objects: Objects;
  /** Relative paths in the workspace that are Klaus's own. */
  excluded: ReadonlySet<string>;
  /** See {@link Scan}. */
  isPlaceholder: (path: string) => boolean;
}

interface ScanOptions {
  /** The folder that is looked at: the workspace or what stands in for it. */
  root: Root;
  updatesCache: boolean;
  yielder: Yielder;
  onProgress?: ((files: number) => void) | undefined;
}

/** Begins a look, and ends it however it goes. What was found is durable only after `batch.flush`. */
export async function withScan<T>(
  store: SnapshotStore,
  options: ScanOptions,
  use: (scan: Scan) => Promise<T>,
): Promise<T> {
  const { root, updatesCache, yielder, onProgress } = options;
  const directory = openRoot(root);
  let device: number;
  try {
    device = lstatSync(directory.child('.')).dev;
  } finally {
    directory.close();
  }
  store.statCache.refresh();
  const writer = new ObjectWriter(store.db, yielder);
  try {
    return await use({
      statCache: store.statCache,
      writer,
      batch: new Batch(store, writer, yielder),
      yielder,
      since: Date.now(),
      device,
      excluded: store.excluded,
      isPlaceholder: store.isPlaceholder,
      updatesCache,
      uncovered: [],
      repositories: [],
      files: 0,
      onProgress,
    });
  } finally {
    await writer.close();
  }
}
