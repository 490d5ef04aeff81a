import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { KlausError, type FileChange } from '@klaus/core/protocol';
import { hashContent, readContent } from './content.ts';
import type { Directory } from './directory.ts';
import { toTrackedPaths } from './git-index.ts';
import { isRace } from './race-error.ts';
import { openRoot, withEntry, type Root } from './path-entry.ts';

/** Entries that are looked at; what lies beyond is not reported. */
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 64;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Named as a whole when they changed: nobody reads their thousands of files. */
const BULK = new Set(['node_modules']);

/**
 * A moment such that what was changed before the call has an earlier change time, and what is changed after
 * it an equal or later one. The clock of Linux filesystems stands still for some milliseconds at a time, so
 * this waits for its next step.
 *
 * @param folder Where a file may be touched, `clock`, which stays; a temporary folder when undefined.
 */
export async function takeMark(folder: string | undefined): Promise<string> {
  const where = folder ?? mkdtempSync(join(tmpdir(), 'klaus-'));
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(join(where, 'clock'), constants.O_RDONLY | constants.O_CREAT, 0o600);
  // Setting the mode that it has moves the change time alone: nothing is written, made or removed.
  const touch = () => {
    fchmodSync(file, 0o600);
    return fstatSync(file, { bigint: true }).ctimeNs;
  };
  try {
    const before = touch();
    let now = touch();
    for (; now <= before; now = touch()) await setTimeout(1);
    return String(now);
  } finally {
    closeSync(file);
    if (folder === undefined) rmSync(where, { recursive: true, force: true });
  }
}

interface Search {
  since: bigint;
  limit: number;
  rows: FileChange[];
  seen: number;
  /** Relative paths of directories with a change since. */
  touched: Set<string>;
  /** Relative paths of changed files, by whether they are new. */
  files: { path: string; isNew: boolean }[];
}

/**
 * What changed at or after a mark, by change time, in path order: files, and `node_modules` as one row.
 * Rows have no `before` hash, because the old content is not known. A deletion is known only for files in
 * the Git index of a workspace that is a repository's top folder. `.git` is not looked at.
 */
export async function findChanges(root: Root, mark: string, limit: number): Promise<FileChange[]> {
  if (!/^\d+$/.test(mark)) throw new KlausError('usage', 'This is not a mark of a workspace.');
  const tracked = await readTracked(root);
  const search: Search = { since: BigInt(mark), limit, rows: [], seen: 0, touched: new Set(), files: [] };
  const top = openRoot(root);
  try {
    await scan(top, '', search);
  } finally {
    top.close();
  }
  const known = new Set(tracked);
  for (const file of search.files.slice(0, limit)) {
    const after = await withEntry(root, file.path, (entry) => (entry.stat?.isFile() ? hashContent(entry) : null));
    search.rows.push({
      path: file.path,
      kind: file.isNew && !known.has(file.path) ? 'created' : 'modified',
      before: null,
      after,
    });
  }
  for (const path of tracked) {
    if (search.rows.length >= limit * 2) break;
    if (await isMissing(root, path, search.touched))
      search.rows.push({ path, kind: 'deleted', before: null, after: null });
  }
  search.rows.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return search.rows.slice(0, limit);
}

async function scan(directory: Directory, relative: string, search: Search): Promise<void> {
  const own = lstatSync(directory.child('.'), { bigint: true });
  if (own.ctimeNs >= search.since) search.touched.add(relative);
  for (const entry of readdirSync(directory.child('.'), { withFileTypes: true })) {
    if (++search.seen > MAX_ENTRIES || search.files.length > search.limit * 4) return;
    if (search.seen % 1_000 === 0) await setImmediate();
    const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) await enter(directory, { name: entry.name, path }, search);
    else noteFile(directory, { name: entry.name, path }, search);
  }
}

async function enter(parent: Directory, entry: { name: string; path: string }, search: Search): Promise<void> {
  if (entry.path.split('/').length > MAX_DEPTH) return;
  let directory: Directory;
  try {
    directory = parent.open(entry.name);
  } catch (error) {
    if (isRace(error) || isForbidden(error)) return;
    throw error;
  }
  try {
    if (!BULK.has(entry.name)) return await scan(directory, entry.path, search);
    if (lstatSync(directory.child('.'), { bigint: true }).ctimeNs >= search.since) {
      search.rows.push({ path: entry.path, kind: 'modified', before: null, after: null });
    }
  } catch (error) {
    if (!isRace(error) && !isForbidden(error)) throw error;
  } finally {
    directory.close();
  }
}

function noteFile(directory: Directory, entry: { name: string; path: string }, search: Search): void {
  const stat = lstatSync(directory.child(entry.name), { bigint: true, throwIfNoEntry: false });
  if (!stat || stat.ctimeNs < search.since) return;
  search.files.push({ path: entry.path, isNew: stat.birthtimeNs >= search.since });
}

async function readTracked(root: Root): Promise<string[]> {
  return withEntry(root, '.git/index', async (entry) => {
    // A `.git` that is a link or a file leads elsewhere, and elsewhere is not read.
    if (entry.relative !== '.git/index' || !entry.stat?.isFile() || entry.stat.size > MAX_INDEX_BYTES) return [];
    return toTrackedPaths(await readContent(entry, {})) ?? [];
  }).catch((error: unknown) => {
    if (error instanceof KlausError && error.code !== 'workspace.missing') return [];
    throw error;
  });
}

/** True for a file that is gone from a directory which has changed since. */
async function isMissing(root: Root, path: string, touched: ReadonlySet<string>): Promise<boolean> {
  const above = path.split('/').slice(0, -1);
  // The nearest directory that is still there is the one whose change time tells.
  if (!above.some((_, i) => touched.has(above.slice(0, i + 1).join('/'))) && !touched.has('')) return false;
  try {
    return await withEntry(root, path, (entry) => {
      if (entry.stat || entry.viaLink) return false;
      return touched.has(above.slice(0, above.length - entry.missing.length).join('/'));
    });
  } catch (error) {
    if (error instanceof KlausError && error.code !== 'workspace.missing') return false;
    throw error;
  }
}

function isForbidden(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === 'EACCES';
}
