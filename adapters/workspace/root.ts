import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { distrustFolder } from '@klaus/adapters/system';
import { isBelow, isInWorkingCopy, isSecretPlace } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import { bestDescriptors, Directory, type Descriptors } from './directory.ts';
import { shorten, type Root } from './path-entry.ts';

/** Folders of the system, and below them those that are for files of users. */
const SYSTEM = ['/etc', '/private/etc', '/proc', '/sys', '/dev', '/boot'];
const NOT_SYSTEM = ['/dev/shm'];

export interface RootOptions {
  /** Accept `/`, the home folder and its parents, folders of secrets and of the system, and Klaus's own state. Default false. */
  allowAny?: boolean;
  /** Default: the user's. */
  home?: string;
  /** Klaus's own state, which cannot be a workspace. */
  klausHome?: string;
  /** Default: the safest kind that works here. */
  descriptors?: Descriptors;
}

/**
 * Opens a folder as the root of a workspace.
 *
 * @throws KlausError `workspace.missing` when there is no such directory, `workspace.refused` when agents must not
 *   work in it.
 */
export function openWorkspaceRoot(folder: string, options: RootOptions = {}): Root {
  const given = resolve(folder);
  let path: string;
  try {
    path = realpathSync.native(given);
    if (!statSync(path).isDirectory()) throw new Error('not a directory');
  } catch (error) {
    const why = error instanceof Error && error.message === 'not a directory' ? 'is not a directory' : 'does not exist';
    throw new KlausError('workspace.missing', `The workspace ${shorten(given)} ${why}.`, {
      hint: 'Specify an existing folder with `--cwd DIR`.',
      cause: error,
    });
  }
  const reason = options.allowAny ? undefined : findRefusal(path, options);
  if (reason !== undefined) {
    throw new KlausError('workspace.refused', reason, {
      hint: 'Specify a project folder with `--cwd DIR`, or accept this one with `--allow-any-workspace`.',
    });
  }
  distrustFolder(path);
  const descriptors = options.descriptors ?? bestDescriptors();
  using directory = new Directory(path, path, descriptors);
  return { path, aliases: given === path ? [] : [given], identity: directory.identity(), descriptors };
}

/**
 * Why agents must not work in a folder, in one sentence; undefined when they may.
 *
 * @param path Absolute real path.
 */
export function findRefusal(path: string, options: Pick<RootOptions, 'home' | 'klausHome'>): string | undefined {
  const home = realpathOr(options.home ?? homedir());
  if (path === dirname(path)) return 'The workspace would be the root folder (/).';
  if (home === path) return `The workspace would be the home folder ${path}.`;
  if (home.startsWith(`${path}/`)) return `The workspace ${path} contains the home folder ${home}.`;
  if (isSecretPlace(join(path, 'any'), { userHome: home, state: [] })) return `The workspace ${path} holds secrets.`;
  if (SYSTEM.some((folder) => isBelow(path, folder)) && !NOT_SYSTEM.some((folder) => isBelow(path, folder)))
    return `The workspace ${path} belongs to the system.`;
  const state = options.klausHome === undefined ? undefined : realpathOr(options.klausHome);
  const isInState = state !== undefined && isBelow(path, state) && !isInWorkingCopy(path, state);
  return isInState ? `The workspace ${path} is inside Klaus's own state.` : undefined;
}

function realpathOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
