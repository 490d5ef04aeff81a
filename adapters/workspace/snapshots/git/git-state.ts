import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { optional } from '@klaus/core/optional';
import { z } from 'zod';
import type { FileName } from '../../byte-names.ts';
import type { Directory } from '../../directory.ts';
import { codeOf, isRace } from '../../race-error.ts';
import type { Root } from '../../path-entry.ts';
import { withParent } from '../restore/dir-handle.ts';
import { sha256 } from '../tree.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_REFS = 1_000;
const MAX_DEPTH = 8;
const OBJECT_ID = /^[0-9a-f]{40,64}$/;

export const gitStateSchema = z.object({
  path: z.string().describe('The folder that contains the repository; "" is the workspace.'),
  head: z.string().describe('HEAD, such as `ref: refs/heads/main`; for a `.git` file its line; "" when unreadable.'),
  refs: z.record(z.string(), z.string()).describe('Object id by name, such as `refs/heads/main`; at most 1,000.'),
  index: z.string().nullable().describe('Identifies the content of the index file; null without one.'),
  store: z.string().optional().describe('Identifies the folder of objects, also after it was renamed.'),
});
/** The state of a Git repository at the time of a snapshot. It is shown and never restored. */
export type GitState = z.infer<typeof gitStateSchema>;

/**
 * Reads the state without following symlinks. Git itself is not used, because in a repository that an agent can write it
 * may run programs.
 *
 * @param path Relative path of the `.git` entry.
 * @source https://git-scm.com/docs/gitrepository-layout
 */
async function readGitState(root: Root, path: string): Promise<GitState | undefined> {
  const folder = path === '.git' ? '' : path.slice(0, -'/.git'.length);
  return withParent(root, path, (parent, name) => {
    using git = openIfAllowed(parent, name);
    // A file that refers to another folder, or a symlink.
    if (!git) return { path: folder, head: readText(parent, name)?.trim() ?? '', refs: {}, index: null };
    const refs = new Map(readPacked(git));
    readLoose(git, 'refs', refs);
    const sorted = [...refs].toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, MAX_REFS);
    const head = readText(git, 'HEAD')?.trim() ?? '';
    const store = toStoreId(git.child('objects'));
    return { path: folder, head, refs: Object.fromEntries(sorted), index: markIndex(git), ...optional({ store }) };
  });
}

/** Identifies a folder of objects by its inode; undefined if there is none. @param path Absolute. */
export function toStoreId(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() ? `${stat.dev}:${stat.ino}` : undefined;
}

/** The folders of objects of some repositories, as one text that changes if one of them is moved or replaced. */
export async function markStores(root: Root, repositories: readonly string[]): Promise<string> {
  const ids: string[] = [];
  for (const path of repositories)
    ids.push(
      (await withParent(root, path, (parent, name) => {
        using git = openIfAllowed(parent, name);
        return git && toStoreId(git.child('objects'));
      })) ?? '',
    );
  return ids.join(' ');
}

/** Undefined for anything but a readable directory. */
function openIfAllowed(parent: Directory, name: FileName): Directory | undefined {
  try {
    return parent.open(name);
  } catch (error) {
    if (isRace(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

/** Identifies the index by its length and the checksum at its end, without reading the complete file. */
function markIndex(git: Directory): string | null {
  const tail = readBytes(git, 'index', { from: -64 });
  if (!tail) return null;
  const size = lstatSync(git.child('index'), { throwIfNoEntry: false })?.size ?? 0;
  return sha256(Buffer.concat([Buffer.from(`${size}\n`), tail])).toString('hex');
}

function readPacked(git: Directory): [string, string][] {
  return (readText(git, 'packed-refs') ?? '').split('\n').flatMap((line): [string, string][] => {
    const [id = '', ref = ''] = line.split(' ');
    return OBJECT_ID.test(id) && ref.startsWith('refs/') ? [[ref, id]] : [];
  });
}

function readLoose(parent: Directory, path: string, refs: Map<string, string>): void {
  using directory = openIfAllowed(parent, path.split('/').at(-1)!);
  if (!directory) return;
  try {
    for (const entry of readdirSync(directory.child('.'), { withFileTypes: true })) {
      if (refs.size >= MAX_REFS * 2 || path.split('/').length > MAX_DEPTH) return;
      const ref = `${path}/${entry.name}`;
      if (entry.isDirectory()) readLoose(directory, ref, refs);
      else {
        const id = readText(directory, entry.name)?.trim() ?? '';
        if (OBJECT_ID.test(id) || id.startsWith('ref: ')) refs.set(ref, id);
      }
    }
  } catch (error) {
    if (!isRace(error) && !isForbidden(error)) throw error;
  }
}

function readText(directory: Directory, name: FileName): string | undefined {
  return readBytes(directory, name, { from: 0 })?.toString('utf8');
}

/** At most a megabyte of a regular file, from its beginning, or relative to its end when `from` is negative. */
function readBytes(directory: Directory, name: FileName, { from }: { from: number }): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(directory.child(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isRace(error) || isForbidden(error)) return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const at = from < 0 ? Math.max(0, stat.size + from) : from;
    const bytes = Buffer.alloc(Math.min(MAX_BYTES, stat.size - at));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, at));
  } finally {
    closeSync(fd);
  }
}

function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'ENXIO'].includes(codeOf(error));
}

/** Paths of the `.git` entries of repositories. */
export function toGitPaths(states: readonly Pick<GitState, 'path'>[]): string[] {
  return states.map(({ path }) => (path === '' ? '.git' : `${path}/.git`));
}

/** The states of the repositories that still exist. */
export async function readGitStates(root: Root, repositories: readonly string[]): Promise<GitState[]> {
  const states: GitState[] = [];
  for (const path of repositories) {
    const state = await readGitState(root, path);
    if (state) states.push(state);
  }
  return states;
}
