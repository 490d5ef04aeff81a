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
import { isKlausError, KlausError, type FileChange } from '@klaus/core/protocol';
import { hashContent, readContent } from './content.ts';
import type { Directory } from './directory.ts';
import { toIndexEntries } from './git-index/git-index.ts';
import { codeOf, isRace } from './race-error.ts';
import { joinNames, openRoot, toAncestors, withEntry, type Root } from './path-entry.ts';

/** Entries that are checked; changes of further ones are not reported. */
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 64;
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Directories that are reported as one row instead of thousands of files. */
const BULK = new Set(['node_modules']);

/**
 * A mark such that earlier changes have an earlier change time, and later changes an equal or later one. The clock of
 * Linux filesystems advances in steps of some milliseconds, so this waits for the next step.
 *
 * @param folder Folder for the file `clock`, which is kept; a temporary folder when undefined.
 */
export async function takeMark(folder: string | undefined): Promise<string> {
  const where = folder ?? mkdtempSync(join(tmpdir(), 'klaus-'));
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = openSync(join(where, 'clock'), constants.O_RDONLY | constants.O_CREAT, 0o600);
  // Setting the same mode again updates only the change time.
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
 * Changes at or after a mark, according to change times, sorted by path. `node_modules` is one row. Rows have no `before`
 * hash, because the old content is unknown. Deletions are found only for files in the Git index, if the workspace is the
 * top folder of a repository. `.git` is skipped.
 */
export async function findChanges(root: Root, mark: string, limit: number): Promise<FileChange[]> {
  if (!/^\d+$/.test(mark)) throw new KlausError('usage', 'The mark is not valid for a workspace.');
  const tracked = await readTracked(root);
  const search: Search = { since: BigInt(mark), limit, rows: [], seen: 0, touched: new Set(), files: [] };
  await scanRoot(root, search);
  for (const file of search.files.slice(0, limit)) {
    const after = await hashOf(root, file.path);
    search.rows.push({
      path: file.path,
      kind: file.isNew && !tracked.has(file.path) ? 'created' : 'modified',
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

/** Null for a path that is no file, and for a link that leads out of the workspace. */
async function hashOf(root: Root, path: string): Promise<string | null> {
  try {
    return await withEntry(root, path, (entry) => (entry.stat?.isFile() ? hashContent(entry) : null));
  } catch (error) {
    if (isKlausError(error) && error.code === 'workspace.outside') return null;
    throw error;
  }
}

async function scanRoot(root: Root, search: Search): Promise<void> {
  using top = openRoot(root);
  await scan(top, '', search);
}

async function scan(directory: Directory, relative: string, search: Search): Promise<void> {
  const own = lstatSync(directory.child('.'), { bigint: true });
  if (own.ctimeNs >= search.since) search.touched.add(relative);
  for (const entry of readdirSync(directory.child('.'), { withFileTypes: true })) {
    if (++search.seen > MAX_ENTRIES || search.files.length > search.limit * 4) return;
    if (search.seen % 1_000 === 0) await setImmediate();
    const path = joinNames(relative, entry.name);
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) await enter(directory, { name: entry.name, path }, search);
    else noteFile(directory, { name: entry.name, path }, search);
  }
}

async function enter(parent: Directory, entry: { name: string; path: string }, search: Search): Promise<void> {
  if (entry.path.split('/').length > MAX_DEPTH) return;
  try {
    using directory = parent.open(entry.name);
    if (!BULK.has(entry.name)) return await scan(directory, entry.path, search);
    if (lstatSync(directory.child('.'), { bigint: true }).ctimeNs >= search.since) {
      search.rows.push({ path: entry.path, kind: 'modified', before: null, after: null });
    }
  } catch (error) {
    if (!isRace(error) && codeOf(error) !== 'EACCES') throw error;
  }
}

function noteFile(directory: Directory, entry: { name: string; path: string }, search: Search): void {
  const stat = lstatSync(directory.child(entry.name), { bigint: true, throwIfNoEntry: false });
  if (!stat || stat.ctimeNs < search.since) return;
  search.files.push({ path: entry.path, isNew: stat.birthtimeNs >= search.since });
}

async function readTracked(root: Root): Promise<Set<string>> {
  return withEntry(root, '.git/index', async (entry) => {
    // A `.git` that is a link or a file refers to another folder, which is not read.
    if (entry.relative !== '.git/index' || !entry.stat?.isFile() || entry.stat.size > MAX_INDEX_BYTES)
      return new Set<string>();
    return new Set(toIndexEntries(await readContent(entry, {}))?.map(({ path }) => path));
  }).catch((error: unknown) => {
    if (error instanceof KlausError && error.code !== 'workspace.missing') return new Set<string>();
    throw error;
  });
}

/** True for a file that was deleted from a directory that has changed since the mark. */
async function isMissing(root: Root, path: string, touched: ReadonlySet<string>): Promise<boolean> {
  const above = ['', ...toAncestors(path)];
  // The change time of the nearest existing directory decides.
  if (!above.some((folder) => touched.has(folder))) return false;
  try {
    return await withEntry(root, path, (entry) => {
      if (entry.stat || entry.viaLink) return false;
      return touched.has(above.at(-1 - entry.missing.length)!);
    });
  } catch (error) {
    if (error instanceof KlausError && error.code !== 'workspace.missing') return false;
    throw error;
  }
}
