import { chmodSync, existsSync, lstatSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGitSettings } from '@klaus/core/git-settings';
import type { Repository } from './repositories.ts';
import { listEntries } from '@klaus/adapters/system';
import { readText } from '../read-text.ts';
import { OWN_FOLDER } from './git-paths.ts';

/**
 * Neutralizes a repository that a command created: hooks lose their execute permission, and settings that make git run
 * programs are removed from the configuration. The original file is stored next to it as `config.klaus`.
 *
 * @returns The changes that were made, as sentences.
 */
export function neutralizeRepository({ path, kind, folder }: Repository): string[] {
  if ((kind === 'file' || kind === 'link') && folder === undefined) {
    return [`${path} pointed git outside the workspace; it was renamed to ${moveAside(path)}`];
  }
  if (folder === undefined) return [];
  const done = [...neutralizeConfig(join(folder, 'config')), ...neutralizeConfig(join(folder, 'config.worktree'))];
  const commondir = join(folder, 'commondir');
  // Only a linked worktree has one, and git creates it together with `gitdir`.
  // A copied placeholder of the sandbox.
  if (readText(commondir) === OWN_FOLDER) rmSync(commondir);
  else if (existsSync(commondir) && !existsSync(join(folder, 'gitdir'))) {
    done.push(`${commondir} pointed git to another configuration; it was renamed to ${moveAside(commondir)}`);
  }
  const hooks = join(folder, 'hooks');
  if (lstatSync(hooks, { throwIfNoEntry: false })?.isSymbolicLink()) {
    done.push(`${hooks} was a symlink; it was renamed to ${moveAside(hooks)}`);
  }
  for (const entry of listEntries(hooks)) {
    const hook = join(hooks, entry.name);
    if (entry.name.endsWith('.sample')) continue;
    if (entry.isSymbolicLink()) {
      done.push(`The user's git would run ${hook}; it was renamed to ${moveAside(hook, '.sample')}`);
    } else if (entry.isFile() && (statSync(hook).mode & 0o111) !== 0) {
      chmodSync(hook, statSync(hook).mode & 0o666);
      done.push(`The user's git would run ${hook}; it is no longer executable`);
    }
  }
  return done;
}

function neutralizeConfig(file: string): string[] {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return [];
  const text = found.isFile() ? readText(file) : undefined;
  const { kept, refused } = readGitSettings(text ?? '');
  if (text !== undefined && refused.length === 0) return [];
  const aside = moveAside(file);
  writeFileSync(file, kept, { flag: 'wx' });
  const what = text === undefined ? 'an entry that cannot be read as a file' : refused.join(', ');
  return [`${file}: removed ${what}, which can make git run programs; the original is now ${aside}`];
}

/** Renames a file to an unused name. @returns The new name. */
function moveAside(path: string, end = '.klaus'): string {
  for (let at = 0; ; at++) {
    const aside = `${path}${at === 0 ? '' : `.${at}`}${end}`;
    if (lstatSync(aside, { throwIfNoEntry: false })) continue;
    renameSync(path, aside);
    return aside;
  }
}
