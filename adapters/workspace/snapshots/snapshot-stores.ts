import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../make-folder.ts';
import { guarded } from './database.ts';

const NAME_FILE = 'workspace.json';
const nameSchema = z.object({ root: z.string() });

/** The snapshots of one workspace. */
export interface SnapshotStoreInfo {
  /** Absolute real path of the workspace, which may be gone. */
  root: string;
  /** Where its snapshots are. */
  folder: string;
  /** Bytes on the disk. */
  bytes: number;
}

/** The folder for one workspace's snapshots, made when it is missing. */
export function prepareStore(stateDir: string, root: string): string {
  const folder = join(stateDir, createHash('sha256').update(root).digest('hex').slice(0, 32));
  guarded(folder, () => {
    makeFolder(folder);
    const file = join(folder, NAME_FILE);
    // A file that the power took away while it was written is made again.
    if (readRoot(folder) === root) return;
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ root })}\n`, { mode: 0o600 });
    renameSync(draft, file);
  });
  return folder;
}

/** Every workspace that has snapshots below `stateDir`, by path. */
export function listSnapshotStores(stateDir: string): SnapshotStoreInfo[] {
  if (!existsSync(stateDir)) return [];
  const stores = readdirSync(stateDir).flatMap((name) => {
    const folder = join(stateDir, name);
    const root = readRoot(folder);
    return root === undefined ? [] : [{ root, folder, bytes: measure(folder) }];
  });
  return stores.toSorted((a, b) => (a.root < b.root ? -1 : 1));
}

function readRoot(folder: string): string | undefined {
  const file = join(folder, NAME_FILE);
  if (!existsSync(file)) return undefined;
  try {
    return nameSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).root;
  } catch (error) {
    // Not one of ours, or damaged: nothing can be said about it.
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

function measure(folder: string): number {
  const sizes = readdirSync(folder, { recursive: true }).map(
    (name) => statSync(join(folder, String(name)), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
