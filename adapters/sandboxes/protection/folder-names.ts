import { lstatSync, readdirSync } from 'node:fs';

/** The entries of a folder that matter for the search for repositories. */
export interface FolderNames {
  folders: readonly string[];
  /** Entries named `.git`, in any case. */
  git: readonly { name: string; kind: 'folder' | 'file' | 'link' }[];
  /** True if git treats the folder as a repository, regardless of its name. */
  isBare: boolean;
}

interface Known extends FolderNames {
  device: bigint;
  inode: bigint;
  /** Change time in nanoseconds. No program can set it, and every added or removed entry changes it. */
  changed: bigint;
}

const NONE: FolderNames = { folders: [], git: [], isBare: false };
/** A folder that changed this recently can change again without a new change time, so it is not cached. */
const RACY_MS = 3_000;
const MAX_KNOWN = 10_000;
const known = new Map<string, Known>();

/** The entries of a folder; none when it cannot be read. An unchanged folder is not read again. */
export function readFolderNames(folder: string): FolderNames {
  try {
    const { dev, ino, ctimeNs, ctimeMs } = lstatSync(folder, { bigint: true });
    const before = known.get(folder);
    if (before?.changed === ctimeNs && before.inode === ino && before.device === dev) return before;
    const names = read(folder);
    known.delete(folder);
    if (Date.now() - Number(ctimeMs) < RACY_MS) return names;
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
