import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { distrustFolder } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';
import { bestDescriptors, Directory, type Descriptors } from './directory.ts';
import { shorten, type Root } from './path-entry.ts';

export interface RootOptions {
  /** Accept `/`, the home folder and what is above it, and Klaus's own state. Default false. */
  allowAny?: boolean;
  /** Default: the user's. */
  home?: string;
  /** Klaus's own state, which nothing may work in. */
  klausHome?: string;
  /** Default: the safest that works here. */
  descriptors?: Descriptors;
}

/**
 * Opens and judges a folder.
 *
 * @throws KlausError `workspace.missing` when there is no such directory, `workspace.refused` when an agent
 *   should not be let loose on it.
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
      hint: 'Name an existing folder with --cwd DIR.',
      cause: error,
    });
  }
  if (!options.allowAny) refuse(path, options);
  distrustFolder(path);
  const descriptors = options.descriptors ?? bestDescriptors();
  const directory = new Directory(path, path, descriptors);
  try {
    return { path, aliases: given === path ? [] : [given], identity: directory.identity(), descriptors };
  } finally {
    directory.close();
  }
}

function refuse(path: string, options: RootOptions): void {
  const home = realpathOr(options.home ?? homedir());
  const hint = 'Name a project folder with --cwd DIR, or accept this one with --allow-any-workspace.';
  if (path === dirname(path))
    throw new KlausError('workspace.refused', 'The workspace would be the whole machine (/).', { hint });
  if (home === path)
    throw new KlausError('workspace.refused', `The workspace would be the home folder ${path}.`, { hint });
  if (home.startsWith(`${path}/`)) {
    throw new KlausError('workspace.refused', `The workspace ${path} holds the home folder ${home}.`, { hint });
  }
  const state = options.klausHome === undefined ? undefined : realpathOr(options.klausHome);
  if (state !== undefined && (path === state || path.startsWith(`${state}/`))) {
    throw new KlausError('workspace.refused', `The workspace ${path} is inside Klaus's own state.`, { hint });
  }
}

function realpathOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}
