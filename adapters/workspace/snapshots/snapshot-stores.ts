import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@klaus/adapters/system';
import { z } from 'zod';
import { guarded } from './database.ts';

const NAME_FILE = 'workspace.json';
const nameSchema = z.object({ root: z.string() });

export interface SnapshotStoreInfo {
  /** Absolute real path of the workspace, which may not exist any more. */
  root: string;
  folder: string;
  /** Size on the disk in bytes. */
  bytes: number;
}

/** Opens the folder for the snapshots of one workspace, and creates it if it is missing. */
export function prepareStore(stateDir: string, root: string): string {
  const folder = join(stateDir, createHash('sha256').update(root).digest('hex').slice(0, 32));
  guarded(folder, () => {
    makeFolder(folder);
    const file = join(folder, NAME_FILE);
    // A file that is incomplete after a power loss is written again.
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
    // It is damaged, or not a file of Klaus.
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
