import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { toFreeBranch } from './copy-branch.ts';
import { copyObjects, git, tryGit } from './git.ts';
import { checkOut, initializeCopy } from './initialize-copy.ts';

/** Levels of submodules in submodules. */
const MAX_DEPTH = 4;

interface Submodule {
  /** Relative to the top of the superproject. */
  path: string;
  /** The recorded commit. */
  commit: string;
}

/**
 * Gives a copy the submodules that are checked out in the original, each with shared objects and its recorded commit.
 *
 * @returns The shared object stores.
 */
export async function createSubmodules(at: { from: string; to: string }, depth = 0): Promise<string[]> {
  if (depth === MAX_DEPTH) return [];
  const stores: string[] = [];
  const found = await listSubmodules(at.to);
  if (found.length === 0) return [];
  await tryGit(at.to, ['submodule', '--quiet', 'init']);
  const modules = join(await git(at.to, ['rev-parse', '--absolute-git-dir']), 'modules');
  for (const { path, commit } of found) {
    const [from, to] = [join(at.from, path), join(at.to, path)];
    const common = await findGitFolder(from);
    if (common === undefined) continue;
    const own = join(modules, path);
    stores.push(...(await initializeCopy(to, { top: from, common })));
    // The Git folder is where `git submodule` has it, so that commands cannot replace it.
    mkdirSync(dirname(own), { recursive: true });
    rmSync(own, { recursive: true, force: true });
    renameSync(join(to, '.git'), own);
    writeFileSync(join(to, '.git'), `gitdir: ${relative(to, own)}\n`);
    await git(own, ['config', 'core.worktree', relative(own, to)]);
    await checkOut(to, commit);
    stores.push(...(await createSubmodules({ from, to }, depth + 1)));
  }
  return stores;
}

/** The submodules of HEAD. */
async function listSubmodules(top: string): Promise<Submodule[]> {
  if (!existsSync(join(top, '.gitmodules'))) return [];
  return toSubmodules(await git(top, ['ls-tree', '-r', '-z', 'HEAD']));
}

function toSubmodules(listed: string): Submodule[] {
  return [...listed.matchAll(/160000 commit (\w+)\t([^\0]+)/g)].map(([, commit, path]) => ({
    commit: commit!,
    path: path!,
  }));
}

/** The Git folder of a submodule that is checked out. */
async function findGitFolder(folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, '.git'))) return undefined;
  const found = await tryGit(folder, ['rev-parse', '--absolute-git-dir']);
  return found === undefined ? undefined : realpathSync.native(found);
}

/**
 * Brings the commits of submodules that a commit of a copy records into the submodules of the original, each on the branch
 * of the copy, so that the original can check them out.
 *
 * @returns Paths of the changed submodules.
 */
export async function publishSubmodules(
  at: { from: string; to: string },
  { commit, base, branch }: { commit: string; base: string; branch: string },
): Promise<string[]> {
  const before = new Set(toSubmodules(await git(at.from, ['ls-tree', '-r', '-z', base])).map((one) => one.commit));
  const changed: string[] = [];
  for (const one of toSubmodules(await git(at.from, ['ls-tree', '-r', '-z', commit]))) {
    const [from, to] = [join(at.from, one.path), join(at.to, one.path)];
    if (before.has(one.commit) || !existsSync(join(from, '.git')) || !existsSync(join(to, '.git'))) continue;
    changed.push(one.path);
    if ((await tryGit(to, ['cat-file', '-e', `${one.commit}^{commit}`])) !== undefined) continue;
    await copyObjects({ from, to }, { commits: [one.commit], known: [] });
    await git(to, ['update-ref', `refs/heads/${await toFreeBranch(to, branch)}`, one.commit]);
  }
  return changed;
}

/** The working trees of the submodules of a copy that have uncommitted changes. */
export async function listChangedSubmodules(top: string): Promise<string[]> {
  const changed: string[] = [];
  for (const { path } of await listSubmodules(top)) {
    if (!existsSync(join(top, path, '.git'))) continue;
    if ((await git(join(top, path), ['status', '--porcelain'])) !== '') changed.push(path);
  }
  return changed;
}
