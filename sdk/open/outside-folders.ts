import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isRegularFile, readForeignFileSync } from '@klaus/adapters/system';
import { findStateLinks, overlaps } from '@klaus/adapters/workspace';
import { isCredentialFile } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';

/** Folders with data of the entire machine: processes, devices, sockets, passwords. */
const SYSTEM = ['/proc', '/sys', '/dev', '/run', '/boot', '/etc', '/private/etc'];
/** Folders that several users share; commands have their own /tmp. */
const SHARED = ['/home', '/Users', '/var', '/private', '/tmp', '/var/tmp', '/private/tmp'];

/** Folders outside of a workspace, as absolute real paths, a parent before its children. */
export interface OutsideFolders {
  readable: string[];
  /** Those that may also be changed; none contains another. */
  writable: string[];
}

export interface OutsideFoldersInput {
  given: { root?: string };
  configuration: Configuration;
  /** The base of relative paths. */
  cwd: string;
  /** Absolute real path. */
  workspace: string;
  /** `KLAUS_HOME`. */
  state: string;
  /** Folders that the grant names, as returned by {@link resolveGrantPaths}. */
  granted?: readonly string[];
}

/**
 * Folders outside of the workspace that its commands may read: the repository around it, and those that the user or the
 * grant names.
 *
 * @throws KlausError `workspace.missing` for a named folder that does not exist, `workspace.refused` for one that contains
 *   the home folder or Klaus's state, secrets or system files, `usage` for a root that does not contain the workspace.
 */
export function findOutsideFolders(input: OutsideFoldersInput): OutsideFolders {
  const { given, configuration, cwd, workspace, state, granted = [] } = input;
  const { repository, folders } = configuration.values.sandbox;
  const found = new Set<string>(granted);
  if (given.root !== undefined) found.add(toRoot(toFolder(given.root, { cwd, state }), workspace));
  else if (repository) for (const folder of findRepositoryAround(workspace, state)) found.add(folder);
  const writable = new Set<string>();
  for (const text of folders) {
    const { path, isWritable } = readFolderText(text);
    const folder = toFolder(path, { cwd, state });
    // Commands can write it without being asked to, and what they write is Git data, not files.
    if (isWritable && isOwnGitData(folder, workspace)) continue;
    found.add(folder);
    if (isWritable && !isIn(folder, workspace)) writable.add(toWritable(folder, workspace));
  }
  const byLength = (a: string, b: string): number => a.length - b.length;
  return {
    // Folders in the workspace need no entry.
    readable: [...found].filter((folder) => !isIn(folder, workspace)).sort(byLength),
    // Folders in another writable one need no entry.
    writable: [...writable].filter((one) => ![...writable].some((two) => one !== two && isIn(one, two))).sort(byLength),
  };
}

/** `PATH`, `PATH:ro` or `PATH:rw`. A folder whose name ends with such a suffix needs a second one. */
function readFolderText(text: string): { path: string; isWritable: boolean } {
  const [, path = text, right] = /^(.+):(ro|rw)$/.exec(text) ?? [];
  return { path, isWritable: right === 'rw' };
}

/** A folder that contains the workspace would have two snapshots of it. */
function toWritable(folder: string, workspace: string): string {
  if (!isIn(workspace, folder)) return folder;
  const hint = `Work in ${folder} itself (--cwd), or add it without :rw.`;
  const message = `${folder} contains the workspace, so it cannot be writable in addition to it.`;
  throw new KlausError('workspace.refused', message, { hint });
}

/** True for Git data of the workspace: of the repository of a linked worktree, or of a submodule. */
function isOwnGitData(folder: string, workspace: string): boolean {
  const own = join(workspace, '.git');
  if (!statSync(own, { throwIfNoEntry: false })?.isFile()) return false;
  const named = /^gitdir: (.+)$/m.exec(readForeignFileSync(own, { max: 4_096, part: 'head' }).text)?.[1];
  if (named === undefined) return false;
  const gitDir = toRealPath(resolve(workspace, named.trim()));
  const common = join(gitDir, 'commondir');
  const commonDir = isRegularFile(common)
    ? toRealPath(resolve(gitDir, readForeignFileSync(common).text.trim()))
    : gitDir;
  // A folder of that name that holds other repositories too is no Git data.
  return isIn(folder, commonDir) || isIn(folder, gitDir);
}

/** The nearest parent that contains `.git`, if the folder itself does not. */
function findRepositoryAround(folder: string, state: string): string[] {
  if (existsSync(join(folder, '.git'))) return [];
  for (let at = dirname(folder); at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, '.git'))) return isTooWide(at, state) || !isOwn(at) ? [] : [at];
  return [];
}

/** False when another user created the repository, or could have: in a folder that all users may write to, as /tmp. */
function isOwn(folder: string): boolean {
  const uid = process.getuid?.();
  const isMine = [folder, join(folder, '.git')].every((path) => uid === undefined || statSync(path).uid === uid);
  return isMine && (statSync(folder).mode & 0o002) === 0;
}

/**
 * A folder outside of the workspace that the user names.
 *
 * @param at.cwd The base of a relative path.
 * @returns The absolute real path.
 * @throws KlausError `workspace.missing`, `workspace.refused`.
 */
export function toFolder(given: string, { cwd, state }: { cwd: string; state: string }): string {
  const folder = toRealFolder(resolve(cwd, given), { hint: 'Name an existing folder.' });
  const hint = 'Name a folder that contains only a project.';
  if (isTooWide(folder, state))
    throw new KlausError('workspace.refused', `${folder} contains the home folder or Klaus's own state.`, { hint });
  if (isCredentialFile(`${folder}/any`) || isIn(folder, join(toRealPath(homedir()), '.config')))
    throw new KlausError('workspace.refused', `${folder} contains secrets.`, { hint });
  if (SYSTEM.some((path) => isIn(folder, path)) || SHARED.includes(folder))
    throw new KlausError('workspace.refused', `${folder} belongs to the system.`, { hint });
  return folder;
}

/** The real path of a folder. @throws KlausError `workspace.missing`. */
export function toRealFolder(path: string, options: { hint?: string } = {}): string {
  if (isFolder(path)) return realpathSync.native(path);
  throw new KlausError('workspace.missing', `There is no folder ${path}.`, options);
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function toRoot(root: string, workspace: string): string {
  if (isIn(workspace, root)) return root;
  throw new KlausError('usage', `The root ${root} does not contain the workspace ${workspace}.`, {
    hint: 'Name a folder above the workspace, or the workspace itself to show nothing around it.',
  });
}

/** True for `/`, the home folder and its parents, and for folders that contain Klaus's state or are in it, also by links. */
function isTooWide(folder: string, state: string): boolean {
  const own = [toRealPath(state), ...findStateLinks(state)];
  return folder === '/' || isIn(toRealPath(homedir()), folder) || own.some((place) => overlaps(place, folder));
}

export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The real path; the path itself if it does not exist. */
export function toRealPath(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}
