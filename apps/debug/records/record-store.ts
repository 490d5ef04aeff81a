import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DebugRecord } from '../contract/index.ts';

/** Records in a folder. The oldest are deleted. */
const MAX_RECORDS = 200;

const NAME = /^[0-9a-f]{16}\.json$/u;

/** Folder of the records of a project. */
export function toRecordsFolder(projectRoot: string): string {
  return join(projectRoot, '.klendathu', 'records');
}

/**
 * Counts a failure. Makes its record if there is none with this fingerprint. Synchronous: the process may be about to
 * end.
 *
 * @param of.isFresh Replaces an earlier record, which has other values: for a record that is investigated now.
 * @returns The path of the record.
 * @throws Error if the folder cannot be written.
 */
export function recordOnce(
  folder: string,
  of: { fingerprint: string; isFresh: boolean },
  create: () => DebugRecord,
): string {
  const { fingerprint, isFresh } = of;
  const path = join(folder, `${fingerprint}.json`);
  if (existsSync(path)) {
    // A byte for each failure: processes count at the same time without losing one.
    appendFileSync(toCounter(path), '+');
    if (!isFresh) return path;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Records belong to a machine, not to a repository.
  writeFileSync(join(folder, '.gitignore'), '*\n');
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify({ ...create(), fingerprint, count: 1 }), { mode: 0o600 });
  renameSync(temporary, path);
  prune(folder);
  return path;
}

/**
 * A record with its present count.
 *
 * @throws Error if the file cannot be read or is no record.
 */
export async function readRecord(path: string): Promise<DebugRecord> {
  const { debugRecordSchema } = await import('../contract/index.ts');
  const record = debugRecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  return { ...record, count: record.count + countMore(path) };
}

/** The paths of the records in a folder, the newest first. */
export function listRecords(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => NAME.test(name))
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.time - a.time)
    .map(({ path }) => path);
}

function toCounter(path: string): string {
  return `${path}.count`;
}

function countMore(path: string): number {
  return statSync(toCounter(path), { throwIfNoEntry: false })?.size ?? 0;
}

function prune(folder: string) {
  for (const path of listRecords(folder).slice(MAX_RECORDS)) {
    rmSync(path, { force: true });
    rmSync(toCounter(path), { force: true });
  }
}
