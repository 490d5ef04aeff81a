import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isGone, ownName } from '../process/owner.ts';
import { readText } from '../read-text.ts';

/** A path that a command must not create: it is created empty, mounted read-only, and removed after the command. */
export interface Placeholder {
  path: string;
  /** Content of the file; undefined for an empty folder. */
  content?: string;
}

/** Number of commands that use each placeholder. Removing one on the host would remove the mounts of all others. */
const userCounts = new Map<string, number>();

/**
 * Creates the paths that are missing. `release` removes those that no other command of this process uses, unless
 * their content has changed. A killed Klaus leaves them behind: empty folders that git does not list, and a file that
 * names its own folder.
 *
 * @returns The placeholders that could be created. A command cannot create the others either: their filesystem is
 *   not writable.
 */
export function createPlaceholders(wanted: readonly Placeholder[]): {
  placeholders: Placeholder[];
  release: () => void;
} {
  const placeholders = wanted.filter((placeholder) => {
    const count = userCounts.get(placeholder.path);
    if (count === undefined && !create(placeholder)) return false;
    userCounts.set(placeholder.path, (count ?? 0) + 1);
    return true;
  });
  const release = () => {
    for (const placeholder of placeholders) {
      const count = userCounts.get(placeholder.path)! - 1;
      if (count > 0) userCounts.set(placeholder.path, count);
      else {
        userCounts.delete(placeholder.path);
        remove(placeholder);
      }
    }
  };
  return { placeholders, release };
}

/** Removes placeholders that an earlier Klaus process created, unless a command of this process uses them. */
export function removePlaceholders(placeholders: readonly Placeholder[]): void {
  for (const placeholder of placeholders) if (!userCounts.has(placeholder.path)) remove(placeholder);
}

/** True for a placeholder of a running command of this process. */
export function isPlaceholder(path: string): boolean {
  return userCounts.has(path);
}

function create({ path, content }: Placeholder): boolean {
  try {
    if (content === undefined) mkdirSync(path);
    else if (content === '') writeFileSync(path, content, { flag: 'wx' });
    else createAtomically(path, content);
    return true;
  } catch {
    return false;
  }
}

/** Creates the file with its content in one step: an empty file, left by a kill, would break every git command. */
function createAtomically(path: string, content: string): void {
  removeStaleTemporaries(path);
  const temporary = toTemporary(path, ownName());
  writeFileSync(temporary, content);
  try {
    if (isEmptyFile(path)) unlinkSync(path);
    linkSync(temporary, path);
  } catch (error) {
    // Not every filesystem has hard links.
    if (existsSync(path)) throw error;
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** True for an empty file, which a power loss can leave. */
export function isEmptyFile(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === 0;
}

function toTemporary(path: string, owner: string): string {
  return `${path}.klaus-${owner}`;
}

function removeStaleTemporaries(path: string): void {
  const prefix = toTemporary(basename(path), '');
  for (const name of readdirSync(dirname(path)))
    if (name.startsWith(prefix) && isGone(name.slice(prefix.length)))
      rmSync(join(dirname(path), name), { force: true });
}

function remove({ path, content }: Placeholder): void {
  try {
    if (content === undefined) rmdirSync(path);
    else if (readText(path) === content) unlinkSync(path);
  } catch {
    // It was removed, or another program has written to it.
  }
}
