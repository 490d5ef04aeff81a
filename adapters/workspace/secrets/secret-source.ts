import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { type SecretValue, toSecretValues } from '@klaus/core/policy';
import type { SecretSource } from '@klaus/core/agent';
import { createSecretFiles, findHidden, findNames, type SecretFiles } from './find-secret-files.ts';
import { findGitFolder, type GitFolder, isTracked, readGitState, readIndex } from './git-folder.ts';
import { MAX_BYTES, readHistory } from './read-history.ts';

/** Files whose values are read; further files are still hidden. */
const MAX_FILES = 5_000;

export interface SecretSourceOptions {
  /** Additional globs of the user, relative to the root. */
  patterns?: readonly string[];
  /** Globs of paths to hide in any case, even if Git has their content; relative to the root. */
  hidden?: readonly string[];
  /** Folder for the cache of the history, which only the user can write. Default: no cache. */
  cache?: string;
}

/**
 * Finds the secrets of a folder. Every call checks for changes.
 *
 * - `files` returns the present secret files, except those whose content is in Git, and sockets, through which a command
 *   could reach programs outside.
 * - `values` also reads tracked files, and still returns the values of deleted ones. It is fast while no such file and no
 *   ref has changed.
 * - `identify` and `otherNames` are fast for a file without hard links; others need a search of the complete folder.
 *
 * @param root Absolute path of the workspace.
 */
export function createSecretSource(root: string, options: SecretSourceOptions = {}): SecretSource {
  const { patterns = [], hidden = [], cache } = options;
  // A missing folder has no secrets. Its absence is reported elsewhere.
  const real = realpath(root).catch(() => root);
  const learned = new Map<string, SecretValue>();
  const seen = new Map<string, string>();
  let gitState: string | undefined;
  let gitReading: Promise<void> | undefined;
  const learn = (path: string, text: string): void => {
    for (const value of toSecretValues(path, text)) if (!learned.has(value.value)) learned.set(value.value, value);
  };
  const readFiles = async (paths: readonly string[]): Promise<void> => {
    for (const path of paths) {
      const stat = await lstat(path, { bigint: true }).catch(() => undefined);
      if (!stat?.isFile()) continue;
      const state = [stat.size, stat.mtimeNs, stat.ctimeNs, stat.ino].join(' ');
      if (seen.get(path) === state) continue;
      learn(
        relative(await real, path)
          .split(sep)
          .join('/'),
        await readStart(path),
      );
      seen.set(path, state);
    }
  };
  const readGit = async (): Promise<void> => {
    const folder = await findGitFolder(await real);
    if (!folder) return;
    // A failure is reported to the call that started the reading.
    await gitReading?.catch(() => {});
    const state = readGitState(folder);
    if (state === gitState) return;
    gitReading = learnGit(folder, state);
    await gitReading;
  };
  /** @param state The state before the reading, so that the next call notices changes in between. */
  const learnGit = async (folder: GitFolder, state: string): Promise<void> => {
    for (const { path, text } of await readHistory(folder, { patterns, cache })) learn(path, text);
    gitState = state;
  };
  let files: SecretFiles | undefined;
  const find = async (): Promise<string[]> => {
    files ??= createSecretFiles(await real, patterns);
    return await files.find();
  };
  return {
    async files() {
      const [found, named] = await Promise.all([find(), real.then((path) => findHidden(path, hidden))]);
      const others = [...named, ...(files?.sockets() ?? [])];
      const folder = found.length > 0 ? await findGitFolder(await real) : undefined;
      if (!folder) return [...found, ...others];
      const index = await readIndex(folder);
      const tracked = await Promise.all(found.map((path) => isTracked(path, folder, index)));
      return [...found.filter((_, at) => tracked[at] !== true), ...others];
    },
    async values({ history = true } = {}) {
      await readFiles((await find()).slice(0, MAX_FILES));
      if (history) await readGit();
      return [...learned.values()];
    },
    async identify(path) {
      const isSecret = (await find()).includes(path);
      const stat = await lstat(path, { bigint: true }).catch(() => undefined);
      if (!stat || stat.nlink <= 1n) return { isSecret, names: [], isShared: false };
      const names = await findNames(await real, new Set([`${stat.dev}:${stat.ino}`]));
      return { isSecret, names, isShared: BigInt(names.length) < stat.nlink };
    },
    async otherNames(path) {
      const inode = await readInode(path);
      if (!inode || inode.links <= 1n) return [];
      const [found, named] = await Promise.all([find(), real.then((root) => findHidden(root, hidden))]);
      const others = [...new Set([...found, ...named])].filter((other) => other !== path);
      const ids = await Promise.all(others.map(async (other) => (await readInode(other))?.id));
      return others.filter((_, at) => ids[at] === inode.id);
    },
  };
}

async function readInode(path: string): Promise<{ id: string; links: bigint } | undefined> {
  const stat = await lstat(path, { bigint: true }).catch(() => undefined);
  return stat?.isFile() ? { id: `${stat.dev}:${stat.ino}`, links: stat.nlink } : undefined;
}

async function readStart(path: string): Promise<string> {
  // A link or a named pipe may have replaced the file since its check.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using file = await open(path, flags).catch(() => undefined);
  if (!file) return '';
  const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

/**
 * Combines the sources of several folders. A file that several of them contain is listed once.
 *
 * @param sources The first source identifies files.
 */
export function joinSecretSources(sources: readonly SecretSource[]): SecretSource {
  const [first] = sources;
  if (!first) throw new RangeError('At least one source is required.');
  if (sources.length === 1) return first;
  const all = async <T>(read: (source: SecretSource) => Promise<readonly T[]>): Promise<T[]> =>
    (await Promise.all(sources.map(read))).flat();
  return {
    files: async () => [...new Set(await all((source) => source.files()))],
    values: (options) => all((source) => source.values(options)),
    identify: (path) => first.identify(path),
    otherNames: async (path) => [...new Set(await all((source) => source.otherNames(path)))],
  };
}
