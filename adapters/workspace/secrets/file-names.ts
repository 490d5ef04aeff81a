import { type BigIntStats, lstatSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { joinNames } from '../path-entry.ts';
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
 *
 * @param root Absolute real path.
 */
export function createFileNames(root: string, { picks, skips, racyMs = RACY_MS }: FileNamesOptions) {
  const isLocal = hasReliableTimes(root);
  let known = new Map<string, Folder>();
  const readFolder = (path: string, device: bigint | undefined): Folder | undefined => {
    const absolute = join(root, path);
    // The state is taken before the directory is read, so that the next search notices changes in between.
    const stat = lstatOf(absolute);
    if (!stat?.isDirectory()) return undefined;
    const state = `${stat.dev} ${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}`;
    const found = known.get(path);
    if (found?.state === state) return found;
    const isSafe = Date.now() - Number(stat.ctimeMs) > racyMs;
    const isReliable = isLocal && isSafe && stat.dev === device;
    return { ...readNames(path, absolute), state: isReliable ? state : undefined };
  };
  const readNames = (path: string, absolute: string): Omit<Folder, 'state'> => {
    const names = { folders: [] as string[], picked: [] as string[], links: [] as string[], sockets: [] as string[] };
    try {
      for (const entry of readdirSync(absolute, { withFileTypes: true })) {
        const below = joinNames(path, entry.name);
        if (entry.isDirectory()) {
          if (!skips.includes(entry.name)) names.folders.push(below);
        } else if (entry.isFile() && picks(below)) names.picked.push(below);
        else if (entry.isSymbolicLink() && picks(below)) names.links.push(below);
        else if (entry.isSocket()) names.sockets.push(below);
      }
    } catch {
      // It was removed, or is not readable, also for commands.
    }
    return names;
  };
  return {
    /** Paths relative to the root, in no order. Unreadable directories are left out. */
    async find(): Promise<{ files: string[]; links: string[]; sockets: string[] }> {
      const next = new Map<string, Folder>();
      const pending = [''];
      const device = lstatOf(root)?.dev;
      const yielder = new Yielder();
      for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
        const folder = readFolder(path, device);
        if (!folder) continue;
        next.set(path, folder);
        pending.push(...folder.folders);
        if (yielder.due) await yielder.yield();
      }
      known = next;
      const folders = [...known.values()];
      return {
        files: folders.flatMap((folder) => folder.picked),
        links: folders.flatMap((folder) => folder.links),
        sockets: folders.flatMap((folder) => folder.sockets),
      };
    },
  };
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
