import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { codeOf, isRace } from '../../race-error.ts';
import type { Batch } from '../objects/batch.ts';
import { toGitNames } from '../git/git-names.ts';
import { toNumbers, encodeDirectory, type StatCache, type CachedDirectory } from './stat-cache.ts';
import { readFile, readLink, type FileReader } from './file-reader.ts';
import { findUnnamedGit } from '../git/unnamed-git.ts';
import type { DirHandle } from '../restore/dir-handle.ts';
import { compareNames, EMPTY, encodeTree, type Node } from '../tree.ts';

const FORMAT = 0o170000;
const FILE = 0o100000;
const DIRECTORY = 0o040000;
const LINK = 0o120000;
const PERMISSIONS = 0o7777;
const PROGRESS_EVERY = 256;

/** Something that a snapshot does not hold. */
export interface Uncovered {
  path: string;
  why: 'unreadable' | 'special file' | 'name is not UTF-8' | 'other filesystem' | 'path too long';
}

export interface Scan extends FileReader {
  statCache: StatCache;
  batch: Batch;
  /** Milliseconds since 1970 when the look began. */
  since: number;
  /** Device of the root: nothing that is mounted below it is entered. */
  device: number;
  /** Relative paths that are left out. */
  excluded: ReadonlySet<string>;
  /** True for an absolute path that is there for a command alone: an empty folder, or a file, is left out. */
  isPlaceholder: (path: string) => boolean;
  /** False when another folder stands in for the workspace: what is seen there is used, but not kept. */
  updatesCache: boolean;
  uncovered: Uncovered[];
  /** Relative paths of what is named `.git`. */
  repositories: string[];
  /** True when git's own data is looked at. */
  isGit?: boolean;
  files: number;
  onProgress?: ((files: number) => void) | undefined;
}

/** A directory to look at. */
interface ScanDir {
  /** Relative to the root; '' is the root. */
  relative: string;
  absolute: string;
  handle: DirHandle;
}

interface Fresh {
  node: Node;
  numbers: Float64Array;
}

/** An entry that is new or different, the place of one that is as it was, or nothing. */
type Found = Fresh | number | undefined;

interface DirScan {
  scan: Scan;
  dir: ScanDir;
  seen: CachedDirectory | undefined;
  /** True when the cursor of `seen` stands on an entry of this name. */
  known: boolean;
}

/**
 * Takes in a directory and everything below it and returns its object's hash; undefined when it is gone. What is as it
 * was last time costs one lstat each, and nothing is written for it.
 *
 * Entries are reached by path, which is fast. What is not exactly as it was seen before is read through a chain of
 * open directories, so that a swapped directory cannot show files from outside.
 */
export async function scanDirectory(scan: Scan, dir: ScanDir): Promise<Buffer | undefined> {
  const seen = scan.statCache.get(dir.relative);
  const names = listNames(scan, dir);
  if (names === 'gone') return undefined;
  // Its content is as it was last time, as far as anybody can know.
  if (names === 'unreadable') return seen?.tree ?? scan.batch.tree(Buffer.alloc(0));
  const state: DirScan = { scan, dir, seen, known: false };
  const found: Exclude<Found, undefined>[] = [];
  let kept = 0;
  let more = seen?.cursor.next() ?? false;
  for (const name of names) {
    while (more && compareNames(seen!.cursor.name, name) < 0) more = skipMissing(state);
    state.known = more && seen!.cursor.name === name;
    const looked = scanEntry(state, name);
    // Not awaited without need: that would cost as much as the state.
    const one = looked instanceof Promise ? await looked : looked;
    if (typeof one === 'number') kept++;
    if (one !== undefined) found.push(one);
    if (state.known) more = seen!.cursor.next();
    if ((++scan.files & 31) === 0) await yieldIfDue(scan);
  }
  while (more) more = skipMissing(state);
  if (seen && kept === seen.count && kept === found.length) return seen.tree;
  return storeDirectory(state, found);
}

/** Steps over an entry that is not there any more. */
function skipMissing({ scan, seen, dir }: DirScan): boolean {
  const { cursor } = seen!;
  if (scan.updatesCache && cursor.isDirectory) scan.batch.forget(join(dir.relative, cursor.name));
  return cursor.next();
}

async function yieldIfDue(scan: Scan): Promise<void> {
  if (scan.files % PROGRESS_EVERY === 0) scan.onProgress?.(scan.files);
  if (scan.writer?.full) await scan.writer.drain();
  if (scan.batch.full) await scan.batch.flush();
  if (scan.yielder.due) await scan.yielder.yield();
}

function storeDirectory({ scan, dir, seen }: DirScan, found: readonly Exclude<Found, undefined>[]): Buffer {
  const old = seen?.nodes() ?? [];
  const bytes = encodeTree(found.map((one) => (typeof one === 'number' ? old[one]! : one.node)));
  const hash = scan.batch.tree(bytes);
  if (scan.updatesCache) {
    const numbers = found.map((one) => (typeof one === 'number' ? seen!.numbers(one) : one.numbers));
    scan.batch.seen(dir.relative, hash, encodeDirectory(hash, numbers, bytes));
  }
  return hash;
}

/** The names in a directory in order, without those that are left out. */
function listNames(scan: Scan, dir: ScanDir): string[] | 'gone' | 'unreadable' {
  try {
    const names = readdirSync(dir.absolute);
    const usual = names.some((name) => name.includes('\uFFFD')) ? toDecodable(scan, dir) : names;
    const wanted = scan.isGit ? toGitNames(dir.relative, usual) : usual;
    // By UTF-16 units, as compareNames does, but twice as fast.
    return wanted.toSorted();
  } catch (error) {
    if (isRace(error)) return 'gone';
    const why = toReason(error);
    if (why === undefined) throw error;
    scan.uncovered.push({ path: dir.relative, why });
    return 'unreadable';
  }
}

/** Names that are text. Those that are not cannot be said in a path. */
function toDecodable(scan: Scan, dir: ScanDir): string[] {
  return readdirSync(dir.absolute, { encoding: 'buffer' }).flatMap((bytes) => {
    const name = bytes.toString('utf8');
    if (Buffer.from(name).equals(bytes)) return [name];
    const relative = join(dir.relative, name);
    const absolute = Buffer.concat([Buffer.from(`${dir.absolute}/`), bytes]);
    for (const path of [relative, ...findUnnamedGit(absolute, relative)])
      scan.uncovered.push({ path, why: 'name is not UTF-8' });
    return [];
  });
}

function toReason(error: unknown): Uncovered['why'] | undefined {
  const code = codeOf(error);
  if (code === 'ENAMETOOLONG') return 'path too long';
  return ['EACCES', 'EPERM', 'EIO', 'ESTALE'].includes(code) ? 'unreadable' : undefined;
}

function scanEntry(state: DirScan, name: string): Found | Promise<Found> {
  const { scan, dir, seen, known } = state;
  if (name === '.git') {
    scan.repositories.push(join(dir.relative, name));
    return undefined;
  }
  if (scan.excluded.size > 0 && scan.excluded.has(join(dir.relative, name))) return undefined;
  let stat: Stats | undefined;
  try {
    stat = lstatSync(`${dir.absolute}/${name}`, { throwIfNoEntry: false });
  } catch (error) {
    const why = toReason(error);
    if (why === undefined && !isRace(error)) throw error;
    if (why !== undefined) scan.uncovered.push({ path: join(dir.relative, name), why });
    return undefined;
  }
  if (!stat) return undefined;
  const format = stat.mode & FORMAT;
  if (format === DIRECTORY) return scanSubdirectory(state, name, stat);
  if (known && seen!.cursor.isDirectory && scan.updatesCache) scan.batch.forget(join(dir.relative, name));
  if (format !== FILE && format !== LINK) {
    scan.uncovered.push({ path: join(dir.relative, name), why: 'special file' });
    return undefined;
  }
  const type = format === FILE ? 'file' : 'symlink';
  const mode = format === FILE ? stat.mode & PERMISSIONS : 0;
  if (known && seen!.isUnchanged(stat) && seen!.cursor.isLike(type, mode)) return seen!.cursor.index;
  return readEntry(state, name, stat);
}

async function scanSubdirectory({ scan, dir, seen, known }: DirScan, name: string, stat: Stats): Promise<Found> {
  const relative = join(dir.relative, name);
  if (stat.dev !== scan.device) {
    scan.uncovered.push({ path: relative, why: 'other filesystem' });
    return undefined;
  }
  const handle = dir.handle.child(name);
  try {
    const hash = await scanDirectory(scan, { relative, absolute: `${dir.absolute}/${name}`, handle });
    if (hash === undefined || (hash.equals(EMPTY) && scan.isPlaceholder(`${dir.absolute}/${name}`))) return undefined;
    const mode = stat.mode & PERMISSIONS;
    if (known && seen!.cursor.isLike('directory', mode) && seen!.cursor.hasHash(hash)) return seen!.cursor.index;
    return { node: { name, type: 'directory', mode, size: 0, hash }, numbers: Float64Array.of(0, 0, 0, stat.ino) };
  } finally {
    handle.close();
  }
}

/** Reads a file or a symlink that is not as it was. */
async function readEntry(state: DirScan, name: string, stat: Stats): Promise<Fresh | undefined> {
  const { scan, dir, seen, known } = state;
  try {
    const { directory } = dir.handle;
    if (stat.isSymbolicLink()) {
      const link = readLink(directory, name, scan);
      if (!link) return undefined;
      const node: Node = { name, type: 'symlink', mode: 0, size: link.size, hash: link.hash };
      return { node, numbers: toNumbers(stat, { since: scan.since, steady: true }) };
    }
    const taken = await readFile(directory, name, scan);
    if (scan.writer?.full) await scan.writer.drain();
    if (taken === 'gone') return undefined;
    if (taken !== 'unreadable') {
      if (scan.isPlaceholder(`${dir.absolute}/${name}`)) return undefined;
      const node: Node = {
        name,
        type: 'file',
        mode: taken.stat.mode & PERMISSIONS,
        size: taken.size,
        hash: taken.hash,
      };
      return { node, numbers: toNumbers(taken.stat, { since: scan.since, steady: taken.stable }) };
    }
  } catch (error) {
    if (isRace(error)) return undefined;
    if (toReason(error) === undefined) throw error;
  }
  scan.uncovered.push({ path: join(dir.relative, name), why: 'unreadable' });
  if (!known || !seen!.isProbablyUnchanged(stat) || seen!.cursor.node().type !== 'file') return undefined;
  const node: Node = { ...seen!.cursor.node(), mode: stat.mode & PERMISSIONS };
  return { node, numbers: toNumbers(stat, { since: scan.since, steady: false }) };
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
