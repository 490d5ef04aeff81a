import { type BigIntStats, lstatSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { Yielder } from '../yielder.ts';

/**
 * Filesystems on which a directory's times change with every entry made, renamed or removed, and for which this
 * machine keeps the time itself. Source: linux/magic.h, zfs_vfsops.
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
  /** What `lstat` said before it was read; undefined when the next look has to read it again. */
  state: string | undefined;
  folders: readonly string[];
  picked: readonly string[];
  /** Symlinks whose own name is meant. */
  links: readonly string[];
  sockets: readonly string[];
}

export interface FileNamesOptions {
  /** Whether a file is meant, by its path relative to the root with forward slashes. */
  picks: (path: string) => boolean;
  /** Names of directories that are left out wherever they stand. */
  skips: readonly string[];
  /**
   * A directory that changed a moment ago may change again within the same tick of its clock, and is read again until
   * its last change is older than this. Milliseconds, default 2,000.
   */
  racyMs?: number;
}

/**
 * The regular files below a folder that are meant by their names, and all sockets. Every look goes over all directories and reads
 * those that are not as they were, by inode and change time, which no program can set back; where the filesystem
 * promises no such times, it reads all.
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

  /** Paths relative to the root, in no order. What cannot be read is left out. */
  async find(): Promise<{ files: string[]; links: string[]; sockets: string[] }> {
    const files: string[] = [];
    const links: string[] = [];
    const sockets: string[] = [];
    const known = new Map<string, Folder>();
    const pending = [''];
    const device = lstatOf(this.#root)?.dev;
    const yielder = new Yielder();
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const folder = this.#readFolder(path, device);
      if (!folder) continue;
      known.set(path, folder);
      files.push(...folder.picked);
      links.push(...folder.links);
      sockets.push(...folder.sockets);
      pending.push(...folder.folders);
      if (yielder.due) await yielder.yield();
    }
    this.#known = known;
    return { files, links, sockets };
  }

  #readFolder(path: string, device: bigint | undefined): Folder | undefined {
    const absolute = join(this.#root, path);
    // Before it is read: what comes in between shows as a change at the next look.
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
      // Gone meanwhile, or not readable for us and so for no command either.
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
