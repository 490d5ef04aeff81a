import { existsSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { block, listStatus, toNames } from './commit-work.ts';
import { toPin, writeRecord, type CopyRecord, type Ending } from './copy-record.ts';
import { copyObjects, git, runGit, tryGit } from './git.ts';
import { publishSubmodules } from './submodules.ts';

/** A branch of the original that moves to a new commit. */
export interface Publication {
  how: Ending;
  into: string;
  /** The commit of the branch now. */
  from: string;
  to: string;
  /** The commit of the copy whose changes it has. */
  head: string;
}

/**
 * Moves a branch of the original forward to a commit of the copy. The objects and the record are durable before the
 * branch changes. Files of a working tree change only if no uncommitted change is in the way.
 *
 * @returns Paths of submodules whose commit changed, or undefined if the branch has moved since.
 * @throws KlausError `copy.blocked` for overlapping uncommitted changes and an unfinished operation in the working tree.
 */
export async function publish(record: CopyRecord, publication: Publication): Promise<string[] | undefined> {
  const { repository, path, base, branch } = record;
  const { into, from, to } = publication;
  const worktree = await findWorktree(repository, into);
  // Unreachable objects harm nothing if a check fails after this.
  await copyObjects({ from: path, to: repository }, { commits: [to], known: [from, base] });
  if (worktree !== undefined) await checkWorktree(worktree, publication);
  const submodules = await publishSubmodules({ from: path, to: repository }, { commit: to, base: from, branch });
  await git(repository, ['update-ref', toPin(record), to]);
  const ending = { ...publication, worktree };
  writeRecord({ ...record, phase: 'ending', ending });
  if (await moveBranch(repository, publication, worktree)) return submodules;
  writeRecord({ ...record, phase: 'ready' });
  return undefined;
}

/** False if the branch is not at `from` any more. */
async function moveBranch(repository: string, { into, from, to }: Publication, worktree: string | undefined) {
  if (worktree === undefined) {
    return (await runGit(repository, ['update-ref', `refs/heads/${into}`, to, from])).code === 0;
  }
  const { code } = await runGit(worktree, ['merge', '--ff-only', '-q', to]);
  return code === 0;
}

/**
 * Completes or reverts the change of a branch that a killed process left.
 *
 * @returns True if the branch contains the new commit.
 */
export async function recoverPublication(record: CopyRecord): Promise<boolean> {
  const { repository, ending } = record;
  const { into, from, to, worktree } = ending ?? {};
  if (into === undefined || from === undefined || to === undefined) return true;
  if ((await runGit(repository, ['merge-base', '--is-ancestor', to, `refs/heads/${into}`])).code === 0) return true;
  if (worktree !== undefined && existsSync(worktree)) await revertFiles(worktree, { from, to });
  writeRecord({ ...record, phase: 'ready' });
  return false;
}

/** Gives files that Git has updated already their content before the update. Files with another content stay. */
async function revertFiles(worktree: string, { from, to }: { from: string; to: string }): Promise<void> {
  const folder = await git(worktree, ['rev-parse', '--absolute-git-dir']);
  rmSync(join(folder, 'index.lock'), { force: true });
  const listed = await git(worktree, ['diff-tree', '-r', '-z', '--no-renames', from, to]);
  const entries = listed.split('\0');
  for (let at = 0; at + 1 < entries.length; at += 2) {
    const [, , before, after] = entries[at]!.split(' ');
    const name = entries[at + 1]!;
    const file = join(worktree, name);
    const present = lstatSync(file, { throwIfNoEntry: false })?.isFile()
      ? await tryGit(worktree, ['hash-object', '--path', name, '--', file])
      : undefined;
    const isUpdated = /^0+$/.test(after!) ? present === undefined : present === after;
    if (!isUpdated) continue;
    if (/^0+$/.test(before!)) rmSync(file, { force: true });
    else await git(worktree, ['restore', `--source=${from}`, '--staged', '--worktree', '--', name]);
  }
}

/** The working tree of the original that has a branch; undefined if none has. */
async function findWorktree(repository: string, branch: string): Promise<string | undefined> {
  const listed = await git(repository, ['worktree', 'list', '--porcelain', '-z']);
  for (const entry of listed.split('\0\0')) {
    const fields = entry.split('\0');
    if (!fields.includes(`branch refs/heads/${branch}`)) continue;
    const path = fields.find((field) => field.startsWith('worktree '))?.slice('worktree '.length);
    if (path !== undefined && existsSync(path)) return path;
  }
  return undefined;
}

/** @throws KlausError `copy.blocked`. */
async function checkWorktree(worktree: string, { from, to }: Publication): Promise<void> {
  const folder = await git(worktree, ['rev-parse', '--absolute-git-dir']);
  for (const name of ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply']) {
    if (!existsSync(join(folder, name))) continue;
    throw block(`An operation of Git is not finished in ${worktree}.`, {
      hint: 'Finish or abort it (`git status` names it), and repeat the command.',
    });
  }
  if (existsSync(join(folder, 'index.lock'))) {
    throw block(`Another Git process works in ${worktree}, or was killed.`, {
      hint: `Repeat the command when it has ended. If none runs, delete ${join(folder, 'index.lock')}.`,
    });
  }
  const changed = new Set(await listChangedNames(worktree, { from, to }));
  const dirty = (await listStatus(worktree)).map(({ path }) => path).filter((path) => overlaps(path, changed));
  if (dirty.length === 0) return;
  throw block(`Uncommitted changes in ${worktree} overlap: ${toNames(dirty)}.`, {
    hint: 'Commit or stash them there, and repeat the command.',
  });
}

async function listChangedNames(worktree: string, { from, to }: { from: string; to: string }): Promise<string[]> {
  return (await git(worktree, ['diff', '--name-only', '--no-renames', '-z', from, to])).split('\0').filter(Boolean);
}

/** True if one path is the other, or is a folder that contains it. */
function overlaps(path: string, changed: ReadonlySet<string>): boolean {
  const plain = path.replace(/\/$/, '');
  return [...changed].some((one) => one === plain || one.startsWith(`${plain}/`) || plain.startsWith(`${one}/`));
}
