import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { isJudgedFile } from '@klaus/core/policy';
import { type FileName, hasByteNames, joinFileName, toFileName, toNameText } from '../../byte-names.ts';
import { joinNames } from '../../path-entry.ts';
import { codeOf, isRace } from '../../race-error.ts';
import type { Batch } from '../objects/batch.ts';
import { toGitNames } from '../git/git-names.ts';
import { toNumbers, encodeDirectory, type StatCache, type CachedDirectory } from './stat-cache.ts';
import { decideCoverage, type Coverage, type ToolScan } from './coverage.ts';
import { readFile, readLink, type FileReader } from './file-reader.ts';
import { findUnnamedGit } from '../git/unnamed-git.ts';
import type { DirHandle } from '../restore/dir-handle.ts';
import type { Room } from '../room.ts';
import type { Uncovered } from '../states.ts';
import { compareNames, EMPTY, encodeTree, type Node } from '../tree.ts';
import type { Trees } from '../trees.ts';

const FORMAT = 0o170000;
const FILE = 0o100000;
const DIRECTORY = 0o040000;
const LINK = 0o120000;
const PERMISSIONS = 0o7777;
const PROGRESS_EVERY = 256;

/** One pass over the workspace. */
export interface Scan extends FileReader {
  trees: Trees;
  statCache: StatCache;
  batch: Batch;
  /** Start of the scan in milliseconds since 1970. */
  since: number;
  /** Device of the root. Other filesystems are not entered. */
  device: number;
  /** Relative paths of Klaus's own state, which is left out. */
  excluded: ReadonlySet<string>;
  /** True for the absolute path of a sandbox's placeholder: an empty folder, or a file, is left out. */
  isPlaceholder: (path: string) => boolean;
  /** False when another folder replaces the workspace: the cache is then used but not updated. */
  updatesCache: boolean;
  uncovered: Uncovered[];
  /** Relative paths of the `.git` entries. */
  repositories: string[];
  /** True when git's own data is scanned. */
  isGit?: boolean;
  files: number;
  room: Room;
  /** Undefined: the content of all files is stored. */
  tools?: ToolScan;
  onProgress?: (files: number) => void;
}

interface ScanDir {
  /** Relative to the root; '' is the root. */
  relative: string;
  absolute: FileName;
  handle: DirHandle;
  coverage: Coverage;
}

interface Fresh {
  node: Node;
  numbers: Float64Array;
}

/** A new or changed entry, the index of an unchanged one, or nothing. */
type Found = Fresh | number | undefined;

interface DirScan {
  scan: Scan;
  dir: ScanDir;
  cached: CachedDirectory | undefined;
  /** True when the cursor of `cached` is at the entry of this name. */
  known: boolean;
}

/**
 * Stores a directory with all of its content and returns the hash of its object; undefined when it does not exist. An
 * unchanged entry costs one lstat, and nothing is written for it.
 *
 * Entries are checked by path, which is fast. Changed entries are read through a chain of open directories, so that a
 * replaced directory cannot show files outside the workspace.
 */
export async function scanDirectory(scan: Scan, dir: ScanDir): Promise<Buffer | undefined> {
  const cached = scan.statCache.get(dir.relative);
  const names = listNames(scan, dir);
  if (names === 'missing') return undefined;
  // The content of the last scan is the best known one.
  if (names === 'unreadable') return cached?.tree ?? scan.batch.tree(Buffer.alloc(0));
  const [repositories, uncovered] = [scan.repositories.length, scan.uncovered.length];
  const { coverage, finish } = decideCoverage(scan, { ...dir, names, cached });
  const state: DirScan = { scan, dir: coverage === dir.coverage ? dir : { ...dir, coverage }, cached, known: false };
  const found: Exclude<Found, undefined>[] = [];
  let unchanged = 0;
  let more = cached?.cursor.next() ?? false;
  for (const name of names) {
    while (more && compareNames(cached!.cursor.name, name) < 0) more = skipMissing(state);
    state.known = more && cached!.cursor.name === name;
    const result = scanEntry(state, name);
    // Awaited only if necessary, because an await costs as much as the check itself.
    const one = result instanceof Promise ? await result : result;
    if (typeof one === 'number') unchanged++;
    if (one !== undefined) found.push(one);
    if (state.known) more = cached!.cursor.next();
    if ((++scan.files & 31) === 0) await yieldIfDue(scan);
  }
  while (more) more = skipMissing(state);
  const again = finish?.();
  if (again !== undefined) {
    scan.repositories.length = repositories;
    scan.uncovered.length = uncovered;
    return scanDirectory(scan, { ...dir, coverage: again });
  }
  if (cached && unchanged === cached.count && unchanged === found.length) return cached.tree;
  return storeDirectory(state, found);
}

/** Skips a cached entry that does not exist any more. */
function skipMissing({ scan, cached, dir }: DirScan): boolean {
  const { cursor } = cached!;
  if (scan.updatesCache && cursor.isDirectory) scan.batch.forget(joinNames(dir.relative, cursor.name));
  return cursor.next();
}

async function yieldIfDue(scan: Scan): Promise<void> {
  if (scan.files % PROGRESS_EVERY === 0) scan.onProgress?.(scan.files);
  if (scan.writer?.full) await scan.writer.drain();
  if (scan.batch.full) await scan.batch.flush();
  if (scan.yielder.due) await scan.yielder.yield();
}

function storeDirectory({ scan, dir, cached }: DirScan, found: readonly Exclude<Found, undefined>[]): Buffer {
  const old = cached?.nodes() ?? [];
  const bytes = encodeTree(found.map((one) => (typeof one === 'number' ? old[one]! : one.node)));
  const hash = scan.batch.tree(bytes);
  if (scan.updatesCache) {
    const numbers = found.map((one) => (typeof one === 'number' ? cached!.numbers(one) : one.numbers));
    scan.batch.seen(dir.relative, hash, encodeDirectory(hash, numbers, bytes));
  }
  return hash;
}

function isLink({ absolute }: ScanDir, name: string): boolean {
  return lstatSync(joinFileName(absolute, toFileName(name)), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** The sorted names in a directory, without those that are left out. */
function listNames(scan: Scan, dir: ScanDir): string[] | 'missing' | 'unreadable' {
  try {
    const names = readdirSync(dir.absolute);
    const usual = names.some(isSpelled) ? spellNames(scan, dir) : names;
    const wanted = scan.isGit ? toGitNames(dir.relative, usual, (name) => isLink(dir, name)) : usual;
    // By UTF-16 units, as compareNames does, but twice as fast.
    return wanted.toSorted();
  } catch (error) {
    if (isRace(error)) return 'missing';
    const why = toReason(error);
    if (why === undefined) throw error;
    scan.uncovered.push({ path: dir.relative, why });
    return 'unreadable';
  }
}

/** True for a name that states may spell in another way. */
function isSpelled(name: string): boolean {
  return name.includes('\uFFFD') || hasByteNames(name);
}

/** Names as states spell them. Repositories below a name that is no UTF-8 are not part of a state. */
function spellNames(scan: Scan, { relative, absolute }: ScanDir): string[] {
  return readdirSync(absolute, { encoding: 'buffer' }).map((bytes) => {
    const name = toNameText(bytes);
    if (!hasByteNames(name)) return name;
    const path = joinNames(relative, name);
    for (const git of findUnnamedGit(Buffer.from(joinFileName(absolute, toFileName(name))), path))
      scan.uncovered.push({ path: git, why: 'name is not UTF-8' });
    return name;
  });
}

function toReason(error: unknown): Uncovered['why'] | undefined {
  const code = codeOf(error);
  if (code === 'ENAMETOOLONG') return 'path too long';
  return ['EACCES', 'EPERM', 'EIO', 'ESTALE'].includes(code) ? 'unreadable' : undefined;
}

function scanEntry(state: DirScan, name: string): Found | Promise<Found> {
  const { scan, dir, cached, known } = state;
  if (name === '.git') {
    if (!hasByteNames(dir.relative)) scan.repositories.push(joinNames(dir.relative, name));
    return undefined;
  }
  if (scan.excluded.size > 0 && scan.excluded.has(joinNames(dir.relative, name))) return undefined;
  let stat: Stats | undefined;
  try {
    stat = lstatSync(joinFileName(dir.absolute, toFileName(name)), { throwIfNoEntry: false });
  } catch (error) {
    const why = toReason(error);
    if (why === undefined && !isRace(error)) throw error;
    if (why !== undefined) scan.uncovered.push({ path: joinNames(dir.relative, name), why });
    return undefined;
  }
  if (!stat) return undefined;
  const format = stat.mode & FORMAT;
  if (format === DIRECTORY) return scanSubdirectory(state, name, stat);
  if (known && cached!.cursor.isDirectory && scan.updatesCache) scan.batch.forget(joinNames(dir.relative, name));
  if (format !== FILE && format !== LINK) {
    scan.uncovered.push({ path: joinNames(dir.relative, name), why: 'special file' });
    return undefined;
  }
  const type = format === FILE ? 'file' : 'symlink';
  const mode = format === FILE ? stat.mode & PERMISSIONS : 0;
  const isUnchanged = known && cached!.isUnchanged(stat) && cached!.cursor.hasTypeAndMode(type, mode);
  if (isUnchanged && !isMissing(state)) return cached!.cursor.index;
  return readEntry(state, name, stat);
}

/** True if the content of the entry at the cursor has to be stored, and is not. */
function isMissing({ scan, dir: { coverage }, cached }: DirScan): boolean {
  if (coverage === 'stored' || coverage === 'listed') return false;
  return scan.writer?.has(cached!.cursor.node().hash) === false;
}

async function scanSubdirectory({ scan, dir, cached, known }: DirScan, name: string, stat: Stats): Promise<Found> {
  const relative = joinNames(dir.relative, name);
  if (stat.dev !== scan.device) {
    scan.uncovered.push({ path: relative, why: 'other filesystem' });
    return undefined;
  }
  const handle = dir.handle.child(name);
  try {
    const absolute = joinFileName(dir.absolute, toFileName(name));
    const hash = await scanDirectory(scan, { relative, absolute, handle, coverage: dir.coverage });
    if (hash === undefined || (hash.equals(EMPTY) && isPlaceholder(scan, absolute))) return undefined;
    const mode = stat.mode & PERMISSIONS;
    if (known && cached!.cursor.hasTypeAndMode('directory', mode) && cached!.cursor.hasHash(hash))
      return cached!.cursor.index;
    return { node: { name, type: 'directory', mode, size: 0, hash }, numbers: Float64Array.of(0, 0, 0, stat.ino) };
  } finally {
    handle.close();
  }
}

/** No sandbox has one at a path that is no text. */
function isPlaceholder(scan: Scan, path: FileName): boolean {
  return typeof path === 'string' && scan.isPlaceholder(path);
}

/** Reads a new or changed file or symlink. */
async function readEntry(state: DirScan, name: string, stat: Stats): Promise<Fresh | undefined> {
  const { scan, dir, cached, known } = state;
  try {
    const { directory } = dir.handle;
    if (stat.isSymbolicLink()) {
      const link = readLink(directory, toFileName(name), scan);
      if (!link) return undefined;
      const node: Node = { name, type: 'symlink', mode: 0, size: link.size, hash: link.hash };
      return { node, numbers: toNumbers(stat, { since: scan.since, steady: true }) };
    }
    const isWanted = dir.coverage !== 'listed' || isJudgedFile(joinNames(dir.relative, name));
    const isStored = isWanted && (scan.isGit === true || scan.room.take(stat.size));
    // Without room, a content that is stored already costs nothing.
    const content = await readFile(directory, toFileName(name), isStored ? scan : { yielder: scan.yielder });
    if (!isWanted && typeof content === 'object')
      scan.tools?.arrived.add({ name, size: content.size, isStored: scan.writer?.has(content.hash) === true });
    if (isWanted && !isStored && typeof content === 'object' && scan.writer?.has(content.hash) !== true) {
      scan.uncovered.push({ path: joinNames(dir.relative, name), why: 'over the limit' });
      return undefined;
    }
    if (scan.writer?.full) await scan.writer.drain();
    if (content === 'missing') return undefined;
    if (content !== 'unreadable') {
      if (isPlaceholder(scan, joinFileName(dir.absolute, toFileName(name)))) return undefined;
      const node: Node = {
        name,
        type: 'file',
        mode: content.stat.mode & PERMISSIONS,
        size: content.size,
        hash: content.hash,
      };
      return { node, numbers: toNumbers(content.stat, { since: scan.since, steady: content.stable }) };
    }
  } catch (error) {
    if (isRace(error)) return undefined;
    if (toReason(error) === undefined) throw error;
  }
  scan.uncovered.push({ path: joinNames(dir.relative, name), why: 'unreadable' });
  if (!known || !cached!.isProbablyUnchanged(stat) || cached!.cursor.node().type !== 'file') return undefined;
  const node: Node = { ...cached!.cursor.node(), mode: stat.mode & PERMISSIONS };
  return { node, numbers: toNumbers(stat, { since: scan.since, steady: false }) };
}
