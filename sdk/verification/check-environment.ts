import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readChangedFiles, type SessionStore, type Snapshots } from '@klaus/core/agent';
import { findEnvironmentChanges, isCheckFile, isEnvironmentFile } from '@klaus/core/policy';
import { treeIdSchema, type Evidence, type TreeId } from '@klaus/core/protocol';
import { z } from 'zod';
import type { KlausOver } from '../create-klaus.ts';
import type { Klaus } from '../klaus.ts';

/**
 * What the checks of a project depend on beside its commits, such as installed programs: compared with the last accepted
 * state of the folder.
 */
export interface CheckEnvironment {
  /** Accepts the present state if none was accepted before. */
  begin(): Promise<void>;
  /**
   * How files that no commit has weaken checks, as sentences without their full stop.
   *
   * @param rows The checks. @param isIn False for a path that commits have.
   */
  findWeakenings(rows: readonly Evidence[], isIn: (path: string) => boolean): Promise<string[]>;
  /** Accepts the present state. */
  accept(): Promise<void>;
}

const acceptedSchema = z.object({ folder: z.string(), tree: treeIdSchema });

/** @param folder Absolute real path. */
export function openCheckEnvironment(klaus: Klaus, folder: string): CheckEnvironment {
  const { home } = klaus;
  const file = join(home, 'verification', `${createHash('sha256').update(folder).digest('hex')}.json`);
  // Klaus has the snapshots of the machine; only those of a cluster are in its interface.
  const open = (): Promise<Snapshots> => (klaus as unknown as KlausOver<SessionStore>).openSnapshots(folder);
  const save = (tree: TreeId): void => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.${process.pid}`, JSON.stringify({ folder, tree }), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  };
  const read = async (snapshots: Snapshots): Promise<TreeId | undefined> => {
    const { tree } = readAccepted(file) ?? {};
    return tree !== undefined && snapshots.has(tree) ? tree : undefined;
  };
  return {
    async begin() {
      const snapshots = await open();
      if ((await read(snapshots)) === undefined) save(await snapshots.snapshot());
    },
    async findWeakenings(rows, isIn) {
      const snapshots = await open();
      const from = await read(snapshots);
      const to = await snapshots.snapshot();
      if (from === undefined) {
        save(to);
        return [];
      }
      const isSearched = (path: string): boolean => isIn(path) && (isEnvironmentFile(path) || isCheckFile(path));
      const found = findEnvironmentChanges(await readChangedFiles(snapshots, { from, to, isSearched }));
      return [...new Set(found.filter(({ weakens }) => rows.some(weakens)).map(({ reason }) => reason))];
    },
    async accept() {
      save(await (await open()).snapshot());
    },
  };
}

function readAccepted(file: string): z.infer<typeof acceptedSchema> | undefined {
  try {
    return acceptedSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
