import { lstatSync } from 'node:fs';
import { openRoot, type Root } from '../path-entry.ts';
import { createBatch } from './objects/batch.ts';
import type { Database } from './database.ts';
import { ObjectWriter } from './objects/object-writer.ts';
import type { Objects } from './objects/objects.ts';
import type { Yielder } from '../yielder.ts';
import { Room, type SnapshotLimits } from './room.ts';
import type { Cover, ToolScan } from './scan/coverage.ts';
import type { Scan } from './scan/scan.ts';
import { ArrivedFiles } from './scan/arrived-files.ts';
import type { ToolFolders } from './scan/tool-folders.ts';
import type { TrackedFiles } from './scan/tracked.ts';

/** One workspace and the store of its snapshots. */
export interface SnapshotStore extends Pick<Scan, 'trees' | 'statCache' | 'excluded' | 'isPlaceholder'> {
  root: Root;
  db: Database;
  objects: Objects;
  limits: SnapshotLimits;
  cover: Cover;
  toolFolders: ToolFolders;
  tracked: TrackedFiles;
}

interface ScanOptions {
  /** The folder to scan: the workspace or a replacement. */
  root: Root;
  updatesCache: boolean;
  yielder: Yielder;
  onProgress?: (files: number) => void;
}

/** Runs `use` with a new scan. Its results are durable only after `batch.flush`. */
export async function withScan<T>(
  store: SnapshotStore,
  options: ScanOptions,
  use: (scan: Scan) => Promise<T>,
): Promise<T> {
  const { root, updatesCache, yielder, onProgress } = options;
  const device = readDevice(root);
  if (store.statCache.refresh()) store.toolFolders.refresh();
  const writer = new ObjectWriter(store.db, yielder);
  try {
    return await use({
      trees: store.trees,
      statCache: store.statCache,
      writer,
      batch: createBatch(store, writer, yielder),
      yielder,
      since: Date.now(),
      device,
      excluded: store.excluded,
      isPlaceholder: store.isPlaceholder,
      updatesCache,
      uncovered: [],
      repositories: [],
      files: 0,
      room: new Room(store.db, store.limits),
      ...(updatesCache ? { tools: toToolScan(store) } : {}),
      onProgress,
    });
  } finally {
    await writer.close();
  }
}

function readDevice(root: Root): number {
  using directory = openRoot(root);
  return lstatSync(directory.child('.')).dev;
}

function toToolScan({ toolFolders: folders, cover, tracked }: SnapshotStore): ToolScan {
  return { folders, cover, tracked, arrived: new ArrivedFiles() };
}
