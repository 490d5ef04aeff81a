import { lstatSync, readdirSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isCredentialFile } from '@klaus/core/policy';
import {
  keepScan,
  MIN_KEPT_FOLDERS,
  readScan,
  readSummary,
  type ScannedFolder as Folder,
  type ScanSummary,
} from './scan-cache.ts';

/** A folder that no program touches is looked at again after this time. */
const FULL_MS = 600_000;
/** Levels of a tree that every look compares: a change there is known at once. */
const SHALLOW = 2;
/** A folder that changed a moment ago may change again within the same tick of the filesystem's clock. */
const SETTLED_MS = 2_000;
/** Others get their turn after this time. */
const SLICE_MS = 8;

/** Published files by the ten thousand. */
const SKIPPED = /\/share\/doc\/rust\/html$/;

/**
 * Where the credentials below a folder are, by their names; sockets and version control as well. Nothing is followed out of the
 * folder. The first look reads every folder (about 40 µs each); a later one, also of another program, those that
 * changed: at once near the top, within ten minutes below that.
 */
class CredentialScan {
  readonly #root: string;
  readonly #home: string;
  /** Undefined before this program has looked itself. */
  #known: ReadonlyMap<string, Folder> | undefined;
  #summary: ScanSummary | undefined;
  #working: Promise<readonly string[]> | undefined;

  /** @param home Klaus's own state. */
  constructor(root: string, home: string) {
    this.#root = root;
    this.#home = home;
    this.#summary = readSummary(home, root);
  }

  /** Absolute paths of files, of symlinks with such a name, of sockets, and of what is named `.git`. */
  find(): Promise<readonly string[]> {
    return (this.#working ??= this.#find().finally(() => {
      this.#working = undefined;
    }));
  }

  async #find(): Promise<readonly string[]> {
    if (this.#summary && isRecent(this.#summary) && !this.#hasChanged(this.#summary)) return this.#summary.found;
    const at = Date.now();
    const before = (this.#known ??= readScan(this.#home, this.#root));
    const known = new Map<string, Folder>();
    const found: string[] = [];
    const pending = [{ path: this.#root, depth: 0 }];
    const walk = createPauses();
    let isNews = false;
    for (let next = pending.pop(); next; next = pending.pop()) {
      const folder = this.#look(next, before);
      if (!folder) continue;
      isNews ||= folder !== before.get(next.path);
      known.set(next.path, folder);
      found.push(...folder.hits);
      for (const path of folder.folders) pending.push({ path, depth: next.depth + 1 });
      await walk.pause();
    }
    const near = [...known].filter(([, { depth }]) => depth <= SHALLOW);
    const top = Object.fromEntries(near.map(([path, { state }]) => [path, state ?? null]));
    this.#known = known;
    this.#summary = { at, found, top };
    const folders = isNews ? known : undefined;
    if (known.size >= MIN_KEPT_FOLDERS) keepScan(this.#home, this.#root, { summary: this.#summary, folders });
    return found;
  }

  #hasChanged({ top }: ScanSummary): boolean {
    return Object.entries(top).some(
      ([path, state]) => state === null || toState(statOf(path, path === this.#root)) !== state,
    );
  }

  #look({ path, depth }: { path: string; depth: number }, before: ReadonlyMap<string, Folder>): Folder | undefined {
    // Before it is read: what changes in between is seen at the next look. The root itself may be a symlink.
    const stat = statOf(path, depth === 0);
    if (!stat?.isDirectory()) return undefined;
    const state = toState(stat);
    const known = before.get(path);
    if (known?.state === state) return known;
    const isSettled = Date.now() - Number(stat.ctimeMs) > SETTLED_MS;
    return { ...read(path), depth, state: isSettled ? state : undefined };
  }
}

function isRecent({ at }: ScanSummary): boolean {
  const age = Date.now() - at;
  return age >= 0 && age < FULL_MS;
}

const scans = new Map<string, CredentialScan>();

/**
 * One scan of a folder for the whole program: every session has its own sandbox, and toolchains are the same.
 *
 * @param home Klaus's own state.
 */
export function scanCredentials(root: string, home: string): Promise<readonly string[]> {
  let scan = scans.get(root);
  if (!scan) scans.set(root, (scan = new CredentialScan(root, home)));
  return scan.find();
}

/** Every path below the folders that is one of these files, by device and inode. Reads everything: only where needed. */
export async function findLinks(roots: readonly string[], inodes: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const pending = [...roots];
  const walk = createPauses();
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    for (const entry of list(path)) {
      const below = join(path, entry.name);
      if (entry.isDirectory()) pending.push(below);
      else if (entry.isFile() && inodes.has(toInode(statOf(below)))) found.push(below);
    }
    await walk.pause();
  }
  return found;
}

/** Inodes of the files that have more than one name. */
export function toShared(paths: readonly string[]): Set<string> {
  const stats = paths.map((path) => statOf(path)).filter((stat) => stat?.isFile() && stat.nlink > 1n);
  return new Set(stats.map(toInode));
}

/** The credentials that lie in a folder itself. */
export function listCredentials(folder: string): string[] {
  return list(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isFile() && isCredentialFile(path) ? [path] : [];
  });
}

/** Names of the folders in a folder. */
export function listFolders(folder: string): string[] {
  return list(folder).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/** True for a git folder, and for what lies in one. */
export function isInGitFolder(path: string): boolean {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder))
    if (statOf(join(folder, 'HEAD'))?.isFile() && statOf(join(folder, 'objects'))) return true;
  return false;
}

/** The real path, or nothing where it leads nowhere. */
export function toReal(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function read(folder: string): Pick<Folder, 'folders' | 'hits'> {
  const folders: string[] = [];
  const hits: string[] = [];
  for (const entry of list(folder)) {
    const path = join(folder, entry.name);
    if (entry.name === '.git') hits.push(path);
    else if (entry.isDirectory()) {
      if (!SKIPPED.test(path)) folders.push(path);
    } else if (entry.isSocket() || isCredentialFile(path)) hits.push(path);
  }
  return { folders, hits };
}

function list(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, not a folder, or not readable for us and so for no command either.
    return [];
  }
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

function createPauses() {
  let until = performance.now() + SLICE_MS;
  return {
    async pause(): Promise<void> {
      if (performance.now() < until) return;
      await setImmediate();
      until = performance.now() + SLICE_MS;
    },
  };
}
