import { type BigIntStats, lstatSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { Yielder } from '../yielder.ts';

/**
 * Local filesystems on which every added, renamed or removed entry changes the times of its directory.
 * Source: linux/magic.h, zfs_vfsops.
 */
const RELIABLE_FILESYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x9123683e, // btrfs
  0x58465342, // xfs
  0x01021994, // tmpfs
  0x794c7630, // overlay
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
]);
const RACY_MS = 2_000;

interface Folder {
  /** Its state before it was read; undefined when the next search has to read it again. */
  state: string | undefined;
  folders: readonly string[];
  picked: readonly string[];
  /** Symlinks with a matching name. */
  links: readonly string[];
  sockets: readonly string[];
}

export interface FileNamesOptions {
  /** True for a matching file, by its path relative to the root with forward slashes. */
  picks: (path: string) => boolean;
  /** Names of directories that are skipped. */
  skips: readonly string[];
  /**
   * A directory that changed this recently can change again without a new change time, and so is read again.
   * Milliseconds, default 2,000.
   */
  racyMs?: number;
}

/**
 * Finds regular files in a folder by name, and all sockets. Every search checks all directories and reads those that have
 * changed, according to inode and change time, which programs cannot set. On filesystems without reliable times it reads
 * all directories.
 */
export class FileNames {
  readonly #root: string;
  readonly #options: FileNamesOptions;
  readonly #hasReliableTimes: boolean;
  #known = new Map<string, Folder>();

  /** @param root Absolute real path. */
  constructor(root: string, options: FileNamesOptions) {
    this.#root = root;
    this.#options = options;
    this.#hasReliableTimes = hasReliableTimes(root);
  }

  /** Paths relative to the root, in no order. Unreadable directories are left out. */
  async find(): Promise<{ files: string[]; links: string[]; sockets: string[] }> {
    const known = new Map<string, Folder>();
    const pending = [''];
    const device = lstatOf(this.#root)?.dev;
    const yielder = new Yielder();
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const folder = this.#readFolder(path, device);
      if (!folder) continue;
      known.set(path, folder);
      pending.push(...folder.folders);
      if (yielder.due) await yielder.yield();
    }
    this.#known = known;
    const folders = [...known.values()];
    return {
      files: folders.flatMap((folder) => folder.picked),
      links: folders.flatMap((folder) => folder.links),
      sockets: folders.flatMap((folder) => folder.sockets),
    };
  }

  #readFolder(path: string, device: bigint | undefined): Folder | undefined {
    const absolute = join(this.#root, path);
    // The state is taken before the directory is read, so that the next search notices changes in between.
    const stat = lstatOf(absolute);
    if (!stat?.isDirectory()) return undefined;
    const state = `${stat.dev} ${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const known = this.#known.get(path);
    if (known?.state === state) return known;
    const isSafe = Date.now() - Number(stat.ctimeMs) > (this.#options.racyMs ?? RACY_MS);
    const isReliable = this.#hasReliableTimes && isSafe && stat.dev === device;
    return { ...this.#read(path, absolute), state: isReliable ? state : undefined };
  }

  #read(path: string, absolute: string): Omit<Folder, 'state'> {
    const folders: string[] = [];
    const picked: string[] = [];
    const links: string[] = [];
    const sockets: string[] = [];
    const { picks, skips } = this.#options;
    const before = path === '' ? '' : `${path}/`;
    try {
      for (const entry of readdirSync(absolute, { withFileTypes: true })) {
        const below = before + entry.name;
        if (entry.isDirectory()) {
          if (!skips.includes(entry.name)) folders.push(below);
        } else if (entry.isFile() && picks(below)) picked.push(below);
        else if (entry.isSymbolicLink() && picks(below)) links.push(below);
        else if (entry.isSocket()) sockets.push(below);
      }
    } catch {
      // It was removed, or is not readable, also for commands.
    }
    return { folders, picked, links, sockets };
  }
}

function lstatOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function hasReliableTimes(root: string): boolean {
  try {
    return RELIABLE_FILESYSTEMS.has(statfsSync(root).type);
  } catch {
    return false;
  }
}
