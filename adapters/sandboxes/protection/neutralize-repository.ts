import { chmodSync, existsSync, lstatSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGitSettings } from '@klaus/core/git-settings';
import { list } from './repositories.ts';
import type { Repository } from './repositories.ts';

/**
 * Takes the teeth out of a repository that a command made or brought: hooks lose their right to run, and settings
 * by which git would run something are left out; the file as it was stays beside it as `config.klaus`.
 *
 * @returns What was done, as sentences; empty when there was nothing to do.
 */
export function disarm({ path, kind, folder }: Repository): string[] {
  if ((kind === 'file' || kind === 'link') && folder === undefined) {
    return [`${path} led git out of the workspace; it is now ${moveAside(path)}`];
  }
  if (folder === undefined) return [];
  const done = [...disarmConfig(join(folder, 'config')), ...disarmConfig(join(folder, 'config.worktree'))];
  const commondir = join(folder, 'commondir');
  // Only a linked worktree has one, and git made it together with `gitdir`.
  if (existsSync(commondir) && !existsSync(join(folder, 'gitdir'))) {
    done.push(`${commondir} led git to a configuration elsewhere; it is now ${moveAside(commondir)}`);
  }
  const hooks = join(folder, 'hooks');
  if (lstatSync(hooks, { throwIfNoEntry: false })?.isSymbolicLink()) {
    done.push(`${hooks} was a symlink; it is now ${moveAside(hooks)}`);
  }
  for (const entry of list(hooks)) {
    const hook = join(hooks, entry.name);
    if (entry.name.endsWith('.sample')) continue;
    if (entry.isSymbolicLink()) {
      done.push(`${hook} would run on the user's git; it is now ${moveAside(hook, '.sample')}`);
    } else if (entry.isFile() && (statSync(hook).mode & 0o111) !== 0) {
      chmodSync(hook, statSync(hook).mode & 0o666);
      done.push(`${hook} would run on the user's git; it is not executable any more`);
    }
  }
  return done;
}

function disarmConfig(file: string): string[] {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return [];
  const text = found.isFile() ? readFileSync(file, 'utf8') : '';
  const { kept, refused } = readGitSettings(text);
  if (found.isFile() && refused.length === 0) return [];
  const aside = moveAside(file);
  writeFileSync(file, kept, { flag: 'wx' });
  const what = found.isFile() ? refused.join(', ') : 'something that is no file';
  return [`${file}: left out ${what}, by which git may run something; the file as it was is ${aside}`];
}

/** Gives a file another name, which nothing has. @returns That name. */
function moveAside(path: string, end = '.klaus'): string {
  for (let at = 0; ; at++) {
    const aside = `${path}${at === 0 ? '' : `.${at}`}${end}`;
    if (lstatSync(aside, { throwIfNoEntry: false })) continue;
    renameSync(path, aside);
    return aside;
  }
}
