import { lstatSync, readdirSync } from 'node:fs';

/** Names of a folder that lead to repositories. */
export interface FolderNames {
  folders: readonly string[];
  /** Called `.git`, however it is written. */
  git: readonly { name: string; kind: 'folder' | 'file' | 'link' }[];
  /** True for what git takes for a repository, whatever its name. */
  isBare: boolean;
}

interface Known extends FolderNames {
  device: bigint;
  inode: bigint;
  /** Nanoseconds. No program can set it, and it moves with every name that comes or goes. */
  changed: bigint;
}

const NONE: FolderNames = { folders: [], git: [], isBare: false };
/** A folder that changed shortly before may change again at the same time of its file system's clock. */
const SETTLED_MS = 3_000;
const MAX_KNOWN = 10_000;
const known = new Map<string, Known>();

/** What a folder holds; nothing when it cannot be read. A folder that has not changed is not read again. */
export function readFolderNames(folder: string): FolderNames {
  try {
    const { dev, ino, ctimeNs, ctimeMs } = lstatSync(folder, { bigint: true });
    const before = known.get(folder);
    if (before?.changed === ctimeNs && before.inode === ino && before.device === dev) return before;
    const names = read(folder);
    known.delete(folder);
    if (Date.now() - Number(ctimeMs) < SETTLED_MS) return names;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(folder, { ...names, device: dev, inode: ino, changed: ctimeNs });
    return names;
  } catch {
    return NONE;
  }
}

function read(folder: string): FolderNames {
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  const isGit = (name: string): boolean => name.toLowerCase() === '.git';
  return {
    folders: entries.filter((entry) => entry.isDirectory() && !isGit(entry.name)).map(({ name }) => name),
    git: entries
      .filter(({ name }) => isGit(name))
      .map((entry) => ({
        name: entry.name,
        kind: entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'file',
      })),
    isBare: names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs'))),
  };
}
