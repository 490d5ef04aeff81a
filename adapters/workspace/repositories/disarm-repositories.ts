import { chmodSync, existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../copies/git.ts';
import { removeTree } from '../layer/remove-tree.ts';
import { toSafeConfiguration } from './safe-configuration.ts';

/** Entries of a git folder with which git runs programs or reads other folders. */
const REMOVED = [
  'hooks',
  'config.worktree',
  'info/attributes',
  'objects/info/alternates',
  'objects/info/http-alternates',
];
const MAX_DEPTH = 8;

/**
 * Removes from the repositories of a folder what makes git run programs, and passwords in addresses of remotes. Their
 * files, commits, branches and index remain.
 *
 * @param root Absolute path. @param repositories Relative paths of the `.git` entries. Links and files are left as they are.
 * @throws KlausError `tool.failed` for a configuration that git cannot read.
 */
export async function disarmRepositories(root: string, repositories: readonly string[]): Promise<void> {
  for (const path of repositories) await disarm(join(root, path), 0);
}

async function disarm(folder: string, depth: number): Promise<void> {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  const config = join(folder, 'config');
  if (lstatSync(config, { throwIfNoEntry: false })?.isFile() === true) {
    const text = toSafeConfiguration(await git('/', ['config', '--file', config, '--list', '-z'], { keepsEnd: true }));
    chmodSync(config, 0o644);
    writeFileSync(config, text);
  } else if (existsSync(config)) rmSync(config, { recursive: true, force: true });
  for (const name of REMOVED) {
    const path = join(folder, name);
    if (lstatSync(path, { throwIfNoEntry: false })) await removeTree(path);
  }
  // Repositories of submodules.
  await disarmBelow(join(folder, 'modules'), depth + 1);
}

/** Git folders in a folder: the name of a submodule can contain slashes. */
async function disarmBelow(folder: string, depth: number): Promise<void> {
  if (depth > MAX_DEPTH || lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  if (existsSync(join(folder, 'HEAD'))) return await disarm(folder, depth);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await disarmBelow(join(folder, entry.name), depth + 1);
  }
}
