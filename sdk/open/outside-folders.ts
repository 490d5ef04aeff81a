import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isCredentialFile } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';

/** What is in these is about the whole machine: processes, devices, sockets, passwords. */
const SYSTEM = ['/proc', '/sys', '/dev', '/run', '/boot', '/etc', '/private/etc'];
/** Folders that hold what belongs to several; commands have a /tmp of their own. */
const SHARED = ['/home', '/Users', '/var', '/private', '/tmp', '/var/tmp', '/private/tmp'];

/** Folders beside a workspace, as absolute real paths, an outer one before what it holds. */
export interface OutsideFolders {
  readable: string[];
  /** Those that may be changed too; none holds another. */
  writable: string[];
}

export interface OutsideFoldersInput {
  given: { root?: string | undefined };
  configuration: Configuration;
  /** What relative paths are relative to. */
  cwd: string;
  /** Absolute real path. */
  workspace: string;
  /** `KLAUS_HOME`. */
  state: string;
  /** Folders that the grant names, as {@link placeGrant} gave them. */
  granted?: readonly string[];
}

/**
 * Folders beside the workspace that its commands may read: the repository around it, and those that the user
 * or the grant names.
 *
 * @throws KlausError `workspace.missing` for a named folder that is not there, `workspace.refused` for one that holds
 *   the home folder or Klaus's state, or belongs to secrets or to the system, `usage` for a root that does not hold the workspace.
 */
export function findOutsideFolders({
  given,
  configuration,
  cwd,
  workspace,
  state,
  granted = [],
}: OutsideFoldersInput): OutsideFolders {
  const { repository, folders } = configuration.values.sandbox;
  const found = new Set<string>(granted);
  if (given.root !== undefined) found.add(toRoot(toFolder(given.root, { cwd, state }), workspace));
  else if (repository) for (const folder of findRepositoryAround(workspace, state)) found.add(folder);
  const writable = new Set<string>();
  for (const text of folders) {
    const { path, isWritable } = readFolderText(text);
    const folder = toFolder(path, { cwd, state });
    found.add(folder);
    if (isWritable && !isIn(folder, workspace)) writable.add(toWritable(folder, workspace));
  }
  const byLength = (a: string, b: string): number => a.length - b.length;
  return {
    // What is in the workspace is read and written there.
    readable: [...found].filter((folder) => !isIn(folder, workspace)).sort(byLength),
    // What is in another of them is written there.
    writable: [...writable].filter((one) => ![...writable].some((two) => one !== two && isIn(one, two))).sort(byLength),
  };
}

/** `PATH`, `PATH:ro` or `PATH:rw`. A folder whose own name ends so is named with the suffix behind it. */
function readFolderText(text: string): { path: string; isWritable: boolean } {
  const [, path = text, right] = /^(.+):(ro|rw)$/.exec(text) ?? [];
  return { path, isWritable: right === 'rw' };
}

/** What holds the workspace would be kept twice for undo. */
function toWritable(folder: string, workspace: string): string {
  if (!isIn(workspace, folder)) return folder;
  throw new KlausError('workspace.refused', `${folder} holds the workspace, and is not written beside it.`, {
    hint: `Work in ${folder} itself (--cwd), or add it without :rw.`,
  });
}

/** The nearest folder above that holds `.git`, where the folder itself holds none. */
function findRepositoryAround(folder: string, state: string): string[] {
  if (existsSync(join(folder, '.git'))) return [];
  for (let at = dirname(folder); at !== dirname(at); at = dirname(at))
    if (existsSync(join(at, '.git'))) return isTooWide(at, state) || !isOwn(at) ? [] : [at];
  return [];
}

/** False where somebody else made the repository, or could have: in a folder that everybody may write, as /tmp. */
function isOwn(folder: string): boolean {
  const uid = process.getuid?.();
  const isMine = [folder, join(folder, '.git')].every((path) => uid === undefined || statSync(path).uid === uid);
  return isMine && (statSync(folder).mode & 0o002) === 0;
}

/**
 * A folder that the user names, to be shown beside the workspace.
 *
 * @param at.cwd What a relative path is relative to.
 * @returns The absolute real path.
 * @throws KlausError `workspace.missing`, `workspace.refused`.
 */
export function toFolder(given: string, { cwd, state }: { cwd: string; state: string }): string {
  const path = resolve(cwd, given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new KlausError('workspace.missing', `There is no folder ${path}.`, { hint: 'Name an existing folder.' });
  const folder = realpathSync.native(path);
  const hint = 'Name a folder that holds a project alone.';
  if (isTooWide(folder, state))
    throw new KlausError('workspace.refused', `${folder} holds the home folder or Klaus's own state.`, { hint });
  if (isCredentialFile(`${folder}/any`) || isIn(folder, join(toReal(homedir()), '.config')))
    throw new KlausError('workspace.refused', `${folder} is a place of secrets.`, { hint });
  if (SYSTEM.some((path) => isIn(folder, path)) || SHARED.includes(folder))
    throw new KlausError('workspace.refused', `${folder} belongs to the system.`, { hint });
  return folder;
}

function toRoot(root: string, workspace: string): string {
  if (isIn(workspace, root)) return root;
  throw new KlausError('usage', `The root ${root} does not hold the workspace ${workspace}.`, {
    hint: 'Name a folder above the workspace, or the workspace itself to show nothing around it.',
  });
}

/** True for `/`, the home folder, what holds it, and what holds, or lies in, Klaus's state. */
function isTooWide(folder: string, state: string): boolean {
  const own = toReal(state);
  return folder === '/' || isIn(toReal(homedir()), folder) || isIn(own, folder) || isIn(folder, own);
}

export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function toReal(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}
