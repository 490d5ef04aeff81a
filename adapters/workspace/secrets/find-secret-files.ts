import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isSecretFile, matchesGlob } from '@klaus/core/policy';
import { FileNames } from './file-names.ts';
import { listFiles } from './list-files.ts';

/** Folders of other people's files, and Git's own. */
const SKIPPED = ['node_modules', '.git'];

/** Looks for the secret files of a folder, again and again; cheap while its directories have not changed. */
export interface SecretFiles {
  /**
   * The secret files that are there now: regular files by their name, what a link with such a name leads to inside
   * the folder, and every other name of the same file (hard links). Ignored files are
   * included; `node_modules` and `.git` are looked into only for other names. However many there are, all of them:
   * one that were left out would be shown to commands.
   *
   * @returns Absolute paths, sorted.
   * @throws KlausError `tool.failed` when the search for other names does not start or fails.
   */
  find(): Promise<string[]>;
  /** Sockets that the last look came upon, as absolute paths. */
  sockets(): readonly string[];
}

/**
 * @param root Absolute real path.
 * @param patterns Further globs of the user, relative to the root.
 */
export function createSecretFiles(root: string, patterns: readonly string[] = []): SecretFiles {
  // Some files are secret by the folders above them, and the root can be one of these.
  const isPlaced = root.includes('/.');
  const picks = (path: string): boolean =>
    isSecretFile(path, patterns) || (isPlaced && isSecretFile(`${root}/${path}`));
  const files = new FileNames(root, { picks, skips: SKIPPED });
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

/** The paths, and every other name of the same files; sorted. All relative to the root. */
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
 * The files that the globs name, under every name that they have. Never whole folders: in one that is empty Git takes every file for deleted.
 *
 * @param root Absolute real path.
 * @returns Absolute paths.
 * @throws KlausError `tool.failed` when the search does not start or fails.
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

/** A pattern of ours as ripgrep means it: one with a slash begins at the root, and a folder stands for all in it. */
function toGlobs(pattern: string): string[] {
  const plain = pattern.replaceAll(/[[\]{}\\]/g, '\\$&');
  const glob = plain.includes('/') ? `/${plain.replace(/^\//, '')}` : plain;
  return [glob, `${glob.replace(/\/$/, '')}/**`];
}

/** What links lead to: a shared `.env` is often one. Only files inside of the folder. */
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

/** Every name of these inodes. It costs a walk over the whole folder, which is why it is done only where links are. */
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
