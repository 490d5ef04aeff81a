import { lstatSync, statSync, type BigIntStats } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isCredentialFile } from '@klaus/core/policy';
import {
  writeScan,
  MIN_CACHED_FOLDERS,
  readScan,
  readSummary,
  type ScannedFolder as Folder,
  type ScanSummary,
} from './scan-cache.ts';
import { listEntries } from '@klaus/adapters/system';

/** Deep folders are compared again after this time. */
const FULL_MS = 600_000;
/** Levels that every scan compares, so that changes there are found immediately. */
const SHALLOW = 2;
/** A folder that changed this recently can change again without a new change time. */
const RACY_MS = 2_000;
/** Milliseconds of work before the event loop gets a turn. */
const SLICE_MS = 8;

/** Tens of thousands of published files. */
const SKIPPED = /\/share\/doc\/rust\/html$/;

/**
 * Finds credentials below a folder by their names, and also sockets and `.git` entries. Symlinks are not followed. The
 * first scan reads every folder (about 40 µs each). Later scans, also of other processes, read only changed folders:
 * changes near the top are found immediately, others within ten minutes.
 */
class CredentialScan {
  readonly #root: string;
  readonly #home: string;
  /** Undefined before the first scan of this process. */
  #known: ReadonlyMap<string, Folder> | undefined;
  #summary: ScanSummary | undefined;
  #running: Promise<readonly string[]> | undefined;

  /** @param home Klaus's own state. */
  constructor(root: string, home: string) {
    this.#root = root;
    this.#home = home;
    this.#summary = readSummary(home, root);
  }

  /** Absolute paths of files, of symlinks with such a name, of sockets, and of what is named `.git`. */
  find(): Promise<readonly string[]> {
    return (this.#running ??= this.#find().finally(() => {
      this.#running = undefined;
    }));
  }

  async #find(): Promise<readonly string[]> {
    if (this.#summary && isRecent(this.#summary) && !this.#hasChanged(this.#summary)) return this.#summary.found;
    const at = Date.now();
    const before = (this.#known ??= readScan(this.#home, this.#root));
    const known = new Map<string, Folder>();
    const found: string[] = [];
    const pending = [{ path: this.#root, depth: 0 }];
    const yieldIfDue = createYielder();
    let hasChanges = false;
    for (let next = pending.pop(); next; next = pending.pop()) {
      const folder = this.#readFolder(next, before);
      if (!folder) continue;
      hasChanges ||= folder !== before.get(next.path);
      known.set(next.path, folder);
      found.push(...folder.hits);
      for (const path of folder.folders) pending.push({ path, depth: next.depth + 1 });
      await yieldIfDue();
    }
    const near = [...known].filter(([, { depth }]) => depth <= SHALLOW);
    const top = Object.fromEntries(near.map(([path, { state }]) => [path, state ?? null]));
    this.#known = known;
    this.#summary = { at, found, top };
    const folders = hasChanges ? known : undefined;
    if (known.size >= MIN_CACHED_FOLDERS) writeScan(this.#home, this.#root, { summary: this.#summary, folders });
    return found;
  }

  #hasChanged({ top }: ScanSummary): boolean {
    return Object.entries(top).some(
      ([path, state]) => state === null || toState(statOf(path, path === this.#root)) !== state,
    );
  }

  #readFolder(
    { path, depth }: { path: string; depth: number },
    before: ReadonlyMap<string, Folder>,
  ): Folder | undefined {
    // The state is taken before the folder is read: the next scan then finds changes in between. The root may be a symlink.
    const stat = statOf(path, depth === 0);
    if (!stat?.isDirectory()) return undefined;
    const state = toState(stat);
    const known = before.get(path);
    if (known?.state === state) return known;
    const isSafe = Date.now() - Number(stat.ctimeMs) > RACY_MS;
    return { ...read(path), depth, state: isSafe ? state : undefined };
  }
}

function isRecent({ at }: ScanSummary): boolean {
  const age = Date.now() - at;
  return age >= 0 && age < FULL_MS;
}

const scans = new Map<string, CredentialScan>();

/** Scans a folder. All sandboxes of the process share the result, because they use the same toolchains. */
export function scanCredentials(root: string, home: string): Promise<readonly string[]> {
  let scan = scans.get(root);
  if (!scan) scans.set(root, (scan = new CredentialScan(root, home)));
  return scan.find();
}

/** Every path below the folders that is one of these files, by device and inode. Slow: it reads every folder. */
export async function findLinks(roots: readonly string[], inodes: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const pending = [...roots];
  const yieldIfDue = createYielder();
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const entry of listEntries(path)) {
      const below = join(path, entry.name);
      if (entry.isDirectory()) pending.push(below);
      else if (entry.isFile() && inodes.has(toInode(statOf(below)))) found.push(below);
    }
    await yieldIfDue();
  }
  return found;
}

/** Identities of the files that have hard links. */
export function toShared(paths: readonly string[]): Set<string> {
  const stats = paths.map((path) => statOf(path)).filter((stat) => stat?.isFile() && stat.nlink > 1n);
  return new Set(stats.map(toInode));
}

/** The credentials directly in a folder. */
export function listCredentials(folder: string): string[] {
  return listEntries(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isFile() && isCredentialFile(path) ? [path] : [];
  });
}

/** True for a git folder and everything in it. */
export function isInGitFolder(path: string): boolean {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder))
    if (statOf(join(folder, 'HEAD'))?.isFile() && statOf(join(folder, 'objects'))) return true;
  return false;
}

function read(folder: string): Pick<Folder, 'folders' | 'hits'> {
  const folders: string[] = [];
  const hits: string[] = [];
  for (const entry of listEntries(folder)) {
    const path = join(folder, entry.name);
    if (entry.name === '.git') hits.push(path);
    else if (entry.isDirectory()) {
      if (!SKIPPED.test(path)) folders.push(path);
    } else if (entry.isSocket() || isCredentialFile(path)) hits.push(path);
  }
  return { folders, hits };
}

function statOf(path: string, follows = false): BigIntStats | undefined {
  try {
    return follows ? statSync(path, { bigint: true }) : lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function toState(stat: BigIntStats | undefined): string {
  return stat ? `${stat.dev} ${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}` : '';
}

function toInode(stat: BigIntStats | undefined): string {
  return stat ? `${stat.dev}:${stat.ino}` : '';
}

/** Gives the event loop a turn, if one is due. */
function createYielder(): () => Promise<void> {
  let until = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < until) return;
    await setImmediate();
    until = performance.now() + SLICE_MS;
  };
}
