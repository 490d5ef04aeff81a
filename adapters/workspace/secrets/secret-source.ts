import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { type SecretValue, toSecretValues } from '@klaus/core/policy';
import type { FileIdentity } from '@klaus/core/agent';
import { createSecretFiles, findHidden, findNames, type SecretFiles } from './find-secret-files.ts';
import { findGitFolder, type GitFolder, isTracked, readGitState, readIndex } from './git-folder.ts';
import { readHistory } from './read-history.ts';

/** The secrets of a workspace: which files to hide from commands, and which values to take out of texts. */
export interface SecretSource {
  /**
   * Absolute paths of the secret files that are there now, without those whose content Git has already; sockets too,
   * by which a command would reach a program outside.
   */
  files(): Promise<string[]>;
  /**
   * Values in all secret files, tracked ones too, and in their earlier versions. What was found once stays, when
   * the file is gone as well. Cheap while no such file and no ref has changed.
   *
   * @param options.history False: earlier versions are not read now. Default true.
   */
  values(options?: { history?: boolean }): Promise<SecretValue[]>;
  /**
   * What else a file is. The search for other names costs a walk over the whole folder, and only where there are any.
   *
   * @param path Absolute, every symlink resolved.
   */
  identify(path: string): Promise<FileIdentity>;
  /**
   * Other names (hard links) of a file that is secret or hidden by one of them. Cheap for a file with one name.
   *
   * @param path Absolute, every symlink resolved.
   * @returns Absolute paths.
   */
  otherNames(path: string): Promise<string[]>;
}

export interface SecretSourceOptions {
  /** Further globs of the user, relative to the root. */
  patterns?: readonly string[];
  /** Globs of what is to be hidden whatever it holds, also where Git has it; relative to the root. */
  hidden?: readonly string[];
  /** Files whose values are read; all others are hidden too. Default: 5,000. */
  limit?: number;
  /** Longer files are read up to here, in bytes. Default: 1 MiB. */
  maxBytes?: number;
  /** Whether earlier versions in Git count. Default true. */
  history?: boolean;
  /** Folder that only the user can write, where it is kept what the history holds. Default: it is not. */
  cache?: string | undefined;
}

/**
 * Watches over the secrets of a folder by looking again at each call.
 *
 * @param root Absolute path of the workspace.
 */
export function createSecretSource(root: string, options: SecretSourceOptions = {}): SecretSource {
  const { patterns = [], hidden = [], limit = 5_000, maxBytes = 1024 * 1024, history = true, cache } = options;
  // One that is gone holds no secrets; who works in it is told so elsewhere.
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
        await readStart(path, maxBytes),
      );
      seen.set(path, state);
    }
  };
  const readGit = async (): Promise<void> => {
    const folder = history ? await findGitFolder(await real) : undefined;
    if (!folder) return;
    // Another's failure is told to that one.
    await gitReading?.catch(() => {});
    const state = readGitState(folder);
    if (state === gitState) return;
    gitReading = learnGit(folder, state);
    await gitReading;
  };
  /** @param state Of the moment before it is read: what changes meanwhile is seen at the next look. */
  const learnGit = async (folder: GitFolder, state: string): Promise<void> => {
    for (const { path, text } of await readHistory(folder, { patterns, maxBytes, cache })) learn(path, text);
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
      const meant = [...named, ...(files?.sockets() ?? [])];
      const folder = found.length > 0 ? await findGitFolder(await real) : undefined;
      if (!folder) return [...found, ...meant];
      const index = await readIndex(folder);
      const tracked = await Promise.all(found.map((path) => isTracked(path, folder, index)));
      return [...found.filter((_, at) => tracked[at] !== true), ...meant];
    },
    async values({ history: isWhole = true } = {}) {
      await readFiles((await find()).slice(0, limit));
      if (isWhole) await readGit();
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
      const [found, meant] = await Promise.all([find(), real.then((root) => findHidden(root, hidden))]);
      const others = [...new Set([...found, ...meant])].filter((other) => other !== path);
      const ids = await Promise.all(others.map(async (other) => (await readInode(other))?.id));
      return others.filter((_, at) => ids[at] === inode.id);
    },
  };
}

async function readInode(path: string): Promise<{ id: string; links: bigint } | undefined> {
  const stat = await lstat(path, { bigint: true }).catch(() => undefined);
  return stat?.isFile() ? { id: `${stat.dev}:${stat.ino}`, links: stat.nlink } : undefined;
}

async function readStart(path: string, length: number): Promise<string> {
  // Between look and open a link or a named pipe may have taken its place.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return '';
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
