import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { readRepositoryFacts, type RepositoryFacts } from '@klaus/adapters/tools';
import { listFiles } from '@klaus/adapters/workspace';
import type { Engine, ResolvedPath, Workspace } from '@klaus/core/agent';
import { isBelow } from '@klaus/core/policy';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import { toRealFolder } from '../open/outside-folders.ts';
import { findHiddenFiles, toHiddenNames } from './hidden-files.ts';
import { indexPaths } from './rank-paths.ts';
import { redactIn } from './redact-in.ts';
import { openWorkspaceGit, type InForceOf, type WorkspaceGit } from './workspace-git.ts';

/** One row of a folder. */
export interface FolderEntry {
  name: string;
  /** Relative to the workspace, with forward slashes. */
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'other';
  /** Bytes; null for other entries than files. */
  size: number | null;
  /** Unix milliseconds. */
  modifiedAt: number;
}

/** The beginning of a file. */
export interface FileView {
  /** Relative to the workspace, with resolved symlinks. */
  path: string;
  /** Bytes of the complete file. */
  size: number;
  /** Null for a secret file. */
  content: Uint8Array | null;
}

/** Read access to a workspace, without files outside of it and without the content of secret files. */
export interface WorkspaceFiles {
  /** Absolute real path. */
  readonly root: string;
  /**
   * Folders first, then by name; at most 5,000.
   *
   * @throws KlausError `workspace.outside`, `usage` for a path that is not a folder.
   */
  list(path: string): Promise<FolderEntry[]>;
  /** @throws KlausError `workspace.outside`, `usage` for a path that is not a file. */
  read(path: string, options: { maxBytes: number }): Promise<FileView>;
  /**
   * The path of a file relative to the workspace, with resolved symlinks, for a relative or an absolute path. Undefined
   * if it is not a file of the workspace.
   */
  locate(path: string): Promise<string | undefined>;
  /** Paths that contain the characters in this order, the best match first (`indexPaths`), without ignored files. */
  find(characters: string, options: { limit: number }): Promise<string[]>;
  /** The branch and the remote of its repository, read without running Git; undefined without a repository. */
  repository(): Promise<RepositoryFacts | undefined>;
  /** Its repository for reading, with Git in the sandbox; undefined without one. */
  git(): Promise<WorkspaceGit | undefined>;
  /** Redacts known secrets of this workspace and of Klaus in a text. */
  redact(text: string): Promise<string>;
}

const MAX_ENTRIES = 5_000;

/** @throws KlausError `workspace.missing` when the folder does not exist. */
export async function openWorkspaceFiles(
  engine: Engine,
  { folder, inForceOf }: { folder: string; inForceOf: InForceOf },
): Promise<WorkspaceFiles> {
  const workspace = await engine.openWorkspace(toRealFolder(folder));
  /** With the policy of the workspace. */
  const open = async (): Promise<Engine> => (await inForceOf(workspace.root)).engine;
  return {
    root: workspace.root,
    list: (path) => list(workspace, path),
    repository: () => readRepositoryFacts(workspace),
    async read(path, { maxBytes }) {
      const { relative, absolute } = await resolvePath(workspace, path);
      const state = await workspace.stat(relative);
      if (state?.kind !== 'file') throw new KlausError('usage', `There is no file ${path}.`);
      const inForce = await open();
      const isNamed = toHiddenNames(inForce);
      const isState = [engine.home, ...(engine.linkedState?.() ?? [])].some(
        (place) => isBelow(absolute, place) && !isBelow(workspace.root, place),
      );
      const named = isState || isNamed(relative) || isNamed(path);
      // A hard link to a secret file can have any name, so it is checked only if several links exist.
      const hidden = named || (isLinked(absolute) && (await findHiddenFiles(inForce, workspace.root))(relative));
      const content = hidden
        ? null
        : await workspace.read(relative, { offset: 0, length: Math.min(maxBytes, state.size) });
      return { path: relative, size: state.size, content };
    },
    async locate(path) {
      try {
        const { relative } = await workspace.resolve(path);
        return (await workspace.stat(relative))?.kind === 'file' ? relative : undefined;
      } catch (error) {
        // Outside of the workspace, or not a path.
        if (isKlausError(error)) return undefined;
        throw error;
      }
    },
    async find(characters, { limit }) {
      const find = await listOnce(engine, workspace.root);
      return find(characters, limit);
    },
    redact: async (text) => redactIn(await open(), workspace.root, text),
    async git() {
      if ((await readRepositoryFacts(workspace)) === undefined) return undefined;
      return openWorkspaceGit({ workspace, inForceOf });
    },
  };
}

/** Milliseconds for which a list of files is cached: a client requests it for every typed character. */
const LISTED_MS = 2_000;

const listed = new WeakMap<Engine, { root: string; find: Promise<ReturnType<typeof indexPaths>> }>();

/** Caches the list of one workspace for a moment: listing 50,000 files takes 100 ms. */
async function listOnce(engine: Engine, root: string): Promise<ReturnType<typeof indexPaths>> {
  const known = listed.get(engine);
  if (known?.root === root) return known.find;
  const list = { root, find: listFiles(root, ['--glob=!.git']).then(indexPaths) };
  listed.set(engine, list);
  const forget = () => {
    if (listed.get(engine) === list) listed.delete(engine);
  };
  try {
    return await list.find;
  } catch (error) {
    forget();
    throw error;
  } finally {
    setTimeout(forget, LISTED_MS).unref();
  }
}

function isLinked(absolute: string): boolean {
  return (lstatSync(absolute, { throwIfNoEntry: false })?.nlink ?? 1) > 1;
}

/** An invalid path is an error of the caller, not of a tool. */
async function resolvePath(workspace: Workspace, path: string): Promise<ResolvedPath> {
  try {
    return await workspace.resolve(path);
  } catch (error) {
    if (!isKlausError(error) || error.code !== 'tool.failed') throw error;
    throw new KlausError('usage', error.message, { cause: error });
  }
}

async function list(workspace: Workspace, path: string): Promise<FolderEntry[]> {
  const { relative, absolute } = await resolvePath(workspace, path);
  const state = await workspace.stat(relative);
  if (state?.kind !== 'directory') throw new KlausError('usage', `There is no folder ${path}.`);
  const names = readdirSync(absolute).slice(0, MAX_ENTRIES);
  const entries = names.flatMap((name): FolderEntry[] => {
    const stat = lstatSync(join(absolute, name), { throwIfNoEntry: false });
    if (!stat) return [];
    const type = toType(stat);
    const size = type === 'file' ? stat.size : null;
    return [{ name, path: relative === '' ? name : `${relative}/${name}`, type, size, modifiedAt: stat.mtimeMs }];
  });
  const rank = ({ type }: FolderEntry): number => (type === 'directory' ? 0 : 1);
  return entries.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
}

function toType(stat: Stats): FolderEntry['type'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'symlink' : 'other';
}
