import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { readForeignFileSync } from '@klaus/adapters/system';
import { tryGit } from '../copies/git.ts';
import { isPathLike, toNamedPaths } from './program-settings.ts';

/** Files of configuration that are read, and bytes of each. */
const MAX_FILES = 200;
const MAX_BYTES = 1024 * 1024;
/** What Git runs in a folder of hooks. Source: githooks(5). */
const HOOKS =
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change'.split(
    ' ',
  );

interface Repository {
  /** Top of the working tree: absolute real path. */
  top: string;
  gitDir: string;
  common: string;
}

/**
 * Paths in a folder that Git runs or obeys because the configuration of its repositories, the user's own one or a link
 * among the hooks names them. They need not exist.
 *
 * @param folder Absolute path. @param tops Folders in it that may have repositories of their own, relative to it.
 * @returns Relative to the folder, with forward slashes.
 */
export async function findConfiguredPlaces(folder: string, tops: readonly string[] = []): Promise<string[]> {
  const root = toReal(folder);
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const top of new Set(['', ...tops])) {
    const repository = await findRepository(join(root, top)).catch(() => undefined);
    if (!repository || seen.has(repository.top)) continue;
    seen.add(repository.top);
    for (const place of await findPlaces(repository)) {
      const path = toInside(place, root);
      if (path !== undefined) found.add(path);
    }
  }
  return [...found];
}

async function findRepository(folder: string): Promise<Repository | undefined> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const words = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const [top, gitDir, common] = ((await tryGit(folder, words)) ?? '').split('\n');
  return common === undefined ? undefined : { top: toReal(top!), gitDir: toReal(gitDir!), common: toReal(common) };
}

/** Absolute paths. */
async function findPlaces(repository: Repository): Promise<Set<string>> {
  const { top, common } = repository;
  const places = new Set<string>();
  const tops = [top, ...listWorktrees(common)];
  const add = (path: string): void => {
    for (const each of [path, toReal(path)]) {
      const inside = tops.map((one) => toInside(each, one)).find((one) => one !== undefined);
      if (inside !== undefined) places.add(join(top, inside));
    }
  };
  for (const { name, value, file } of await readSettings(repository)) {
    for (const { path, kind } of toNamedPaths(name, value)) {
      const base = /^include/i.test(name) ? dirname(file) : top;
      const full = toAbsolute(path, base);
      if (full === undefined) continue;
      // The top itself would protect everything.
      if (kind === 'folder') for (const target of listHookLinks(full)) add(target);
      if (kind === 'folder' && [full, toReal(full)].includes(top)) for (const hook of HOOKS) add(join(top, hook));
      else if (kind !== 'word' || isPathLike(path) || isFile(full)) add(full);
    }
  }
  for (const target of listHookLinks(join(common, 'hooks'))) add(target);
  return places;
}

interface Setting {
  name: string;
  value: string;
  /** The file that has it. */
  file: string;
}

/** All settings of the files that Git reads for a repository, also those of includes that do not apply now. */
async function readSettings({ top, common, gitDir }: Repository): Promise<Setting[]> {
  const settings: Setting[] = [];
  const listed = (await tryGit(top, ['config', '--list', '--show-origin', '-z'])) ?? '';
  const named = [...listed.matchAll(/(?:^|\0)file:([^\0]+)\0/g)].map(([, file]) => resolve(top, file!));
  const linked = ['.', ...listNames(join(common, 'worktrees')).map((name) => join('worktrees', name))];
  const own = linked.map((name) => join(common, name, 'config.worktree'));
  const files = new Set([join(common, 'config'), join(gitDir, 'config.worktree'), ...own, ...named]);
  for (const file of files) {
    if (!isFile(file) || files.size > MAX_FILES) continue;
    const text = (await tryGit(top, ['config', '--file', file, '--no-includes', '--list', '-z'])) ?? '';
    for (const entry of text.split('\0').filter(Boolean)) {
      const end = entry.indexOf('\n');
      if (end < 0) continue;
      const setting = { name: entry.slice(0, end), value: entry.slice(end + 1), file };
      settings.push(setting);
      const included = /^include(?:if\..*)?\.path$/is.test(setting.name) && toAbsolute(setting.value, dirname(file));
      if (included) files.add(included);
    }
  }
  return settings;
}

/** The working trees of a repository. */
function listWorktrees(common: string): string[] {
  return listNames(join(common, 'worktrees')).flatMap((name) => {
    const text = readLine(join(common, 'worktrees', name, 'gitdir'));
    return text === undefined ? [] : [toReal(dirname(text))];
  });
}

/** Targets of links in a folder of hooks, and of the folder itself. */
function listHookLinks(hooks: string): string[] {
  const links = [hooks, ...listNames(hooks).map((name) => join(hooks, name))];
  return links.flatMap((path) => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return [];
    return [resolve(dirname(path), readlinkSync(path))];
  });
}

/** Undefined for a path that Git does not find from a folder. */
function toAbsolute(path: string, base: string): string | undefined {
  if (path.startsWith('~/')) return join(homedir(), path.slice(2));
  if (path === '' || /^(?:~|%\()/.test(path) || path.includes('\0')) return undefined;
  return resolve(base, path);
}

/** The path below a folder; undefined for the folder itself and others. */
function toInside(path: string, folder: string): string | undefined {
  const inside = relative(folder, path);
  return inside === '' || inside === '..' || inside.startsWith('../') ? undefined : inside;
}

/** The real path, also of what does not exist yet. */
function toReal(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(toReal(above), basename(path));
  }
}

function isFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= MAX_BYTES;
}

function readLine(file: string): string | undefined {
  return isFile(file) ? readForeignFileSync(file).text.trim() : undefined;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
