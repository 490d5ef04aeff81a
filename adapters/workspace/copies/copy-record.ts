import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';

/** How a working copy ends. */
export const ENDINGS = ['merged', 'squashed', 'rebased', 'kept', 'discarded'] as const;
export type Ending = (typeof ENDINGS)[number];

const endingSchema = z.object({
  how: z.enum(ENDINGS),
  /** The branch of the repository that changes, and its commit before and after. Absent: no branch changes. */
  into: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  /** The commit of the copy whose changes the original has. */
  head: z.string().optional(),
  /** The working tree of the repository that has the branch. */
  worktree: z.string().optional(),
});

const recordSchema = z.object({
  session: z.string(),
  /** Top of the working tree of the original: absolute real path. */
  repository: z.string(),
  /** The folder of the original that has refs and objects. */
  common: z.string(),
  path: z.string(),
  branch: z.string(),
  /** The commit from which it started. */
  base: z.string(),
  /** The branch of the original at that time; absent for a detached HEAD. */
  target: z.string().optional(),
  /** Object stores of the original and its submodules, which the copy reads. */
  objects: z.array(z.string()),
  /** Paths of the repository that its configuration named at that time; see `findConfiguredPlaces`. */
  places: z.array(z.string()).default([]),
  /** ISO 8601. */
  createdAt: z.string(),
  /** `creating` until its session exists; `ending` from the first change of the original until it is removed. */
  phase: z.enum(['creating', 'ready', 'ending']),
  ending: endingSchema.optional(),
});

/** What Klaus knows about a working copy. It is stored beside the copy, where no command can write. */
export type CopyRecord = z.infer<typeof recordSchema>;

/** `PROJECT/NAME` of a copy: the folder below `copies`, and the name of its lock. */
export function toKey({ path }: Pick<CopyRecord, 'path'>): string {
  return `${basename(dirname(path))}/${basename(path)}`;
}

/** The ref of the original that keeps the objects of a copy. */
export function toPin({ path }: Pick<CopyRecord, 'path'>): string {
  return `refs/klaus/copies/${basename(path)}`;
}

/** The folder of the copies of a repository: its name, and a part of the hash of its path. */
export function toProjectName(repository: string): string {
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, 8);
  return `${basename(repository).replaceAll(/[^\w.-]/g, '_') || 'root'}-${hash}`;
}

/** Replaces the record in one step. */
export function writeRecord(record: CopyRecord): CopyRecord {
  const file = `${record.path}.json`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return record;
}

export function deleteRecord({ path }: Pick<CopyRecord, 'path'>): void {
  rmSync(`${path}.json`, { force: true });
}

/** Undefined if there is no valid record. @param path The folder of the copy. */
export function readRecord(path: string): CopyRecord | undefined {
  try {
    const found = recordSchema.safeParse(JSON.parse(readFileSync(`${path}.json`, 'utf8')));
    return found.success && found.data.path === path ? found.data : undefined;
  } catch {
    return undefined;
  }
}

/** All records, oldest first. @param copies Absolute path of `$KLAUS_HOME/copies`. */
export function listRecords(copies: string): CopyRecord[] {
  const records = listNames(copies).flatMap((project) =>
    listNames(join(copies, project)).flatMap((name) => {
      const record = name.endsWith('.json') ? readRecord(join(copies, project, name.slice(0, -5))) : undefined;
      return record ? [record] : [];
    }),
  );
  return records.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
