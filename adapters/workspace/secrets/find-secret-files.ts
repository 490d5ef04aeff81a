import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isFolded, isSecretFile, matchesGlob } from '@klaus/core/policy';
import { createFileNames } from './file-names.ts';
import { listFiles } from './list-files.ts';

/** Folders with files of dependencies and of Git. */
const SKIPPED = ['node_modules', '.git'];

/** Finds the secret files of a folder. Repeated searches are fast while its directories have not changed. */
export interface SecretFiles {
  /**
   * The present secret files: regular files by name, targets in the folder of links with such names, and hard links of
   * these files. Ignored files are included; `node_modules` and `.git` are searched only for hard links. There is no
   * limit, because commands could read a file that is left out.
   *
   * @returns Absolute paths, sorted.
   * @throws KlausError `tool.failed` when the search for hard links fails.
   */
  find(): Promise<string[]>;
  /** Absolute paths of the sockets that the last search found. */
  sockets(): readonly string[];
}

/**
 * @param root Absolute real path.
 * @param patterns Additional globs of the user, relative to the root.
 */
export function createSecretFiles(root: string, patterns: readonly string[] = []): SecretFiles {
  // Some files are secret because of their parent folders, and the root can be one of these.
  const isHiddenRoot = root.includes('/.');
  const picks = (path: string): boolean =>
    isSecretFile(path, patterns) || (isHiddenRoot && isSecretFile(`${root}/${path}`));
  const files = createFileNames(root, { picks, skips: SKIPPED });
  let sockets: readonly string[] = [];
  return {
    sockets: () => sockets,
    async find() {
      const found = await files.find();
      sockets = found.sockets.map((path) => join(root, path));
      const names = new Set(found.files);
      for (const path of await findTargets(root, found.links)) names.add(path);
      return (await withOtherNames(root, names)).map((path) => join(root, path));
    },
  };
}

/** Adds all hard links of the files. Paths are relative to the root and sorted. */
async function withOtherNames(root: string, paths: Iterable<string>): Promise<string[]> {
  const names = new Set(paths);
  const linked = new Set<string>();
  for (const path of names) {
    const stat = await lstat(join(root, path), { bigint: true }).catch(() => undefined);
    if (stat && stat.nlink > 1n) linked.add(`${stat.dev}:${stat.ino}`);
  }
  if (linked.size > 0) for (const path of await findNames(root, linked)) names.add(path);
  return [...names].sort();
}

/**
 * The files that match the globs, with all of their hard links. Never folders: Git would treat all files of an empty folder as deleted.
 *
 * @param root Absolute real path.
 * @returns Absolute paths.
 * @throws KlausError `tool.failed` when the search fails.
 */
export async function findHidden(root: string, globs: readonly string[]): Promise<string[]> {
  if (globs.length === 0 || !existsSync(root)) return [];
  const listed = await listFiles(root, [
    '--no-ignore',
    ...globs.flatMap(toGlobs).map((glob) => `--iglob=${glob}`),
    '--glob=!.git',
  ]);
  const named = listed.filter((path) => globs.some((glob) => matchesGlob(path, glob)));
  return (await withOtherNames(root, named)).map((path) => join(root, path));
}

/** Converts a pattern to globs of ripgrep: one with a slash is relative to the root, and a folder includes its content. */
function toGlobs(pattern: string): string[] {
  // Ripgrep ignores case, and nothing else.
  if (isFolded(pattern)) return ['**'];
  // For ripgrep, such a `**` is a `*`. Each path is compared with the pattern later.
  if (/[^/]\*\*|\*\*[^/]/.test(pattern)) return ['**'];
  const plain = pattern.replaceAll(/[[\]{}\\]/g, '\\$&');
  const glob = plain.includes('/') ? `/${plain.replace(/^\//, '')}` : `**/${plain}`;
  return [glob, `${glob.replace(/\/$/, '')}/**`];
}

/** The targets of links, such as a shared `.env`. Only files in the folder. */
async function findTargets(root: string, links: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const link of links) {
    const target = await realpath(join(root, link)).catch(() => undefined);
    if (target === undefined || !target.startsWith(`${root}/`)) continue;
    const stat = await lstat(target).catch(() => undefined);
    if (stat?.isFile()) found.push(relative(root, target).split(sep).join('/'));
  }
  return found;
}

/** All paths of these inodes. Slow, because it searches the complete folder. */
export async function findNames(root: string, inodes: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const paths = await listFiles(root, ['--no-ignore']);
  const batch = 256;
  for (let at = 0; at < paths.length; at += batch) {
    await Promise.all(
      paths.slice(at, at + batch).map(async (path) => {
        const stat = await lstat(join(root, path), { bigint: true }).catch(() => undefined);
        if (stat && inodes.has(`${stat.dev}:${stat.ino}`)) found.push(path);
      }),
    );
  }
  return found;
}
