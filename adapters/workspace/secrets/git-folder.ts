import { createHash } from 'node:crypto';
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { readForeignBytes } from '@klaus/adapters/system';
import type { IndexEntry } from '@klaus/core/agent';
import { toIndexEntries } from '../git-index/git-index.ts';

/** The Git data of a folder. All paths are absolute. */
export interface GitFolder {
  /** Top folder of the working tree. */
  top: string;
  gitDir: string;
  commonDir: string;
}

/** Bytes of an index or of a tracked file. */
const MAX_BYTES = 1_024 * 1_024 * 1_024;
/** Bytes of a text. */
const MAX_TEXT = 256 * 1_024 * 1_024;

/** Finds the repository of a folder. The target of a `.git` file needs no verification, because it is only read. */
export async function findGitFolder(root: string): Promise<GitFolder | undefined> {
  for (let folder = root; ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return { top: folder, gitDir: path, commonDir: path };
    if (found?.isFile() && found.size < 4_096) {
      const named = /^gitdir: (.+)$/m.exec((await readText(path)) ?? '')?.[1];
      const gitDir = named && (await realpath(resolve(folder, named.trim())).catch(() => undefined));
      if (!gitDir) return undefined;
      const common = (await readText(join(gitDir, 'commondir'))) ?? '.';
      return { top: folder, gitDir, commonDir: resolve(gitDir, common.trim()) };
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** The entries of the index; empty without one. */
export async function readIndex({ gitDir }: GitFolder): Promise<IndexEntry[]> {
  const bytes = await readForeignBytes(join(gitDir, 'index'), MAX_BYTES).catch(() => undefined);
  return (bytes && toIndexEntries(bytes)) ?? [];
}

/**
 * True for a file whose present content is in the index: hiding it would protect nothing and break `git add` and
 * `git stash`. The path alone is not sufficient, because a command can add any path to the index; but it cannot know the
 * hash of a content that it never read.
 */
export async function isTracked(path: string, folder: GitFolder, index: readonly IndexEntry[]): Promise<boolean> {
  const name = relative(folder.top, path).split(sep).join('/');
  const entries = index.filter((entry) => entry.path === name);
  if (entries.length === 0) return false;
  const content = await readForeignBytes(path, MAX_BYTES).catch(() => undefined);
  if (!content) return false;
  const blob = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
  return entries.some((entry) => entry.blob === blob);
}

/** Commits of branches, tags, remotes, stashes and the log of HEAD. */
export async function readRefs({ gitDir, commonDir }: GitFolder): Promise<string[]> {
  const names = new Set<string>();
  const collect = async (path: string): Promise<void> => {
    const text = (await readText(path)) ?? '';
    for (const [name] of text.matchAll(/\b[0-9a-f]{40}\b/g)) if (!/^0+$/.test(name)) names.add(name);
  };
  await collect(join(commonDir, 'packed-refs'));
  for (const file of ['HEAD', 'ORIG_HEAD', 'FETCH_HEAD', 'MERGE_HEAD', 'logs/HEAD']) await collect(join(gitDir, file));
  await collect(join(commonDir, 'logs/refs/stash'));
  for (const path of listBelow(join(commonDir, 'refs'))) await collect(path);
  return [...names].slice(0, 20_000);
}

/** Undefined when the file is missing, or is something else than a file. */
async function readText(path: string): Promise<string | undefined> {
  return (await readForeignBytes(path, MAX_TEXT).catch(() => undefined))?.toString('utf8');
}

function listBelow(folder: string): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listBelow(path) : entry.isFile() ? [path] : [];
  });
}

/** A text that changes with refs and index. Fast. */
export function readGitState({ gitDir, commonDir }: GitFolder): string {
  const files = ['index', 'HEAD', 'logs/HEAD', 'ORIG_HEAD'].map((file) => join(gitDir, file));
  files.push(join(commonDir, 'packed-refs'), join(commonDir, 'logs/refs/stash'));
  files.push(...listBelow(join(commonDir, 'refs')));
  return files
    .map((file) => {
      const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      return found ? `${file} ${found.mtimeNs} ${found.size} ${found.ino}` : '';
    })
    .join('\n');
}
