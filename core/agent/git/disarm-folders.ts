import { placeOf, readGitSettings } from '../../policy/index.ts';
import type { TreeChange, TreeEntry, TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { toChange } from '../workspace/tree-row.ts';
import { isGitFolder, isInnerGitFile, toArmingFiles, toMarkedFolder, type ArmingFile } from './git-folders.ts';
import { readText } from './git-text.ts';

/** Two states of the workspace, or of git's own data in it. */
export interface States {
  snapshots: Snapshots;
  before: TreeId | undefined;
  after: TreeId;
  /** True for a file by which git finds other data, if an approved command named it. Default: none. */
  isNamed?: (path: string) => boolean;
}

const EXECUTABLE = 0o111;
/** A step of a rebase that runs a program. @source git-rebase(1) */
const RUNS = /^\s*(?:exec|x)(?=\s|$)/;

/**
 * Finds files by which the user's next git command would run a program that a command of the model planted, and their
 * repair. In an existing git folder, configuration and hooks are restored. In a new one, settings by which git runs
 * programs are removed, and hooks are made non-executable.
 *
 * @returns Rows from the present to the repaired entries.
 */
export async function findArmed(states: States, rows: readonly TreeChange[]): Promise<TreeChange[]> {
  const repairs = new Map<string, TreeChange>();
  const add = (found: TreeChange[]): void => found.forEach((row) => repairs.set(row.path, row));
  add(findLinks(rows));
  for (const row of rows) {
    if (row.path.split('/').at(-1) === '.git') add(await judgeGitEntry(states, row));
    for (const file of toArmingFiles(row.path)) add(await judgeFile(states, row, file));
    const folder = toMarkedFolder(row.path);
    if (folder !== undefined && row.after && !row.before && (await isArmedBefore(states, folder)))
      add(toChange(row.path, row.after, null));
  }
  return [...repairs.values()];
}

/**
 * Symlinks in git folders, and what was below a folder that one replaced. Git creates none, and its next command would write
 * to their targets: a message, a reflog, or the removal of a stale worktree.
 */
function findLinks(rows: readonly TreeChange[]): TreeChange[] {
  const links = rows.filter(({ path, after }) => after?.type === 'symlink' && /(?:^|\/)\.git\//.test(path));
  const isBelow = ({ path, after }: TreeChange): boolean =>
    after === null && links.some((link) => path.startsWith(`${link.path}/`));
  return [...links, ...rows.filter(isBelow)].flatMap(({ path, before, after }) => toChange(path, after, before));
}

/** A `.git` that is a file or a symlink leads git elsewhere. */
async function judgeGitEntry({ snapshots }: States, row: TreeChange): Promise<TreeChange[]> {
  const { path, before, after } = row;
  if (!after || after.type === 'directory') return [];
  if (before && before.type !== 'directory') return toChange(path, after, before);
  const isInner = after.type === 'file' && isInnerGitFile(path, (await readText(snapshots, after)) ?? '');
  return isInner ? [] : toChange(path, after, null);
}

async function judgeFile(states: States, row: TreeChange, file: ArmingFile): Promise<TreeChange[]> {
  const { snapshots, before, after } = states;
  if (!(await isGitFolder(snapshots, after, file.folder))) return [];
  const wasThere = await isGitFolder(snapshots, before, file.folder);
  switch (file.kind) {
    case 'config':
      return judgeConfig(snapshots, row, wasThere);
    case 'commondir':
      return judgeCommondir(snapshots, row);
    case 'hook':
      return judgeHook(row, wasThere);
    case 'todo':
      return judgeTodo(snapshots, row);
    case 'attributes':
      return toChange(row.path, row.after, row.before);
    case 'record':
      // Git applies recorded resolutions of conflicts as soon as their folder exists.
      return row.after?.type === 'directory' ? [] : toChange(row.path, row.after, row.before);
    case 'patch':
      return judgePatch(snapshots, row);
    case 'indirection':
      return judgeIndirection(states, row);
    case 'exclude':
      // A new repository has one of a template.
      return wasThere && !states.isNamed?.(row.path) ? toChange(row.path, row.after, row.before) : [];
  }
}

async function judgeConfig(snapshots: Snapshots, row: TreeChange, wasThere: boolean): Promise<TreeChange[]> {
  const { path, before, after } = row;
  if (!after || after.type === 'directory') return wasThere ? toChange(path, after, before) : [];
  const text = await readText(snapshots, after);
  const { kept, refusedLines } = readGitSettings(text ?? '');
  const known = new Set(readGitSettings((await readText(snapshots, before)) ?? '').refusedLines);
  if (text !== undefined && refusedLines.every((line) => known.has(line))) return [];
  if (wasThere && before) return toChange(path, after, before);
  const entry = await snapshots.put(new TextEncoder().encode(kept), { type: 'file', mode: after.mode || 0o644 });
  return toChange(path, after, entry);
}

/** Only a linked worktree has one, and it names the git folder two levels up. */
async function judgeCommondir(snapshots: Snapshots, { path, before, after }: TreeChange): Promise<TreeChange[]> {
  if (!after) return [];
  const text = (await readText(snapshots, after))?.trim();
  const isLinked = path.split('/').at(-3) === 'worktrees' && text === '../..';
  // A folder that names itself has no effect, and git reads an empty file in the same way.
  return isLinked || text === '.' || text === '' ? [] : toChange(path, after, before);
}

/** Replaced objects, and commits with other parents than their own. A fetch changes those of an incomplete history. */
function judgeIndirection({ isNamed }: States, row: TreeChange): TreeChange[] {
  const { path, before, after } = row;
  if (after?.type === 'directory' && !before) return [];
  const isFetched = path.endsWith('/shallow') && before !== null && after?.type === 'file';
  return isFetched || isNamed?.(path) ? [] : toChange(path, after, before);
}

/** The steps of the next `git rebase --continue`: new lines that run a program are removed. */
async function judgeTodo(snapshots: Snapshots, { path, before, after }: TreeChange): Promise<TreeChange[]> {
  if (!after || after.type === 'directory') return [];
  const text = await readText(snapshots, after);
  if (text === undefined) return toChange(path, after, before);
  const known = ((await readText(snapshots, before)) ?? '').split('\n').filter((line) => RUNS.test(line));
  const kept = text.split('\n').filter((line) => {
    if (!RUNS.test(line)) return true;
    const at = known.indexOf(line);
    if (at >= 0) known.splice(at, 1);
    return at >= 0;
  });
  if (kept.length === text.split('\n').length) return [];
  const { type, mode } = after;
  return toChange(path, after, await snapshots.put(new TextEncoder().encode(kept.join('\n')), { type, mode }));
}

/** Paths of a patch of `git am`, which `git am --continue` applies. */
const PATCHED = /^(?:diff --git "?a\/.* "?b\/|\+\+\+ "?b\/|(?:rename|copy) to "?)(.+?)"?$/gm;

async function judgePatch(snapshots: Snapshots, { path, before, after }: TreeChange): Promise<TreeChange[]> {
  if (!after || after.type === 'directory') return [];
  const text = await readText(snapshots, after);
  // Git itself replaces `patch` by the next one, and changes no other.
  if ((before === null || path.endsWith('/patch')) && text !== undefined) {
    const paths = [...text.matchAll(PATCHED)].map(([, name]) => name!);
    if (paths.every((name) => placeOf(name, { isNew: true }) === undefined)) return [];
  }
  return toChange(path, after, before);
}

function judgeHook({ path, before, after }: TreeChange, wasThere: boolean): TreeChange[] {
  if (path.endsWith('.sample')) return [];
  if (wasThere) {
    const isArming = after !== null && (after.type !== 'file' || (after.mode & EXECUTABLE) !== 0 || before !== null);
    const isFolderOnly = after?.type === 'directory' && (before === null || before.type === 'directory');
    const isLost = before !== null && after === null;
    return (isArming && !isFolderOnly) || isLost ? toChange(path, after, before) : [];
  }
  if (after?.type === 'symlink') return toChange(path, after, null);
  if (after?.type !== 'file' || (after.mode & EXECUTABLE) === 0) return [];
  const entry: TreeEntry = { ...after, mode: after.mode & ~EXECUTABLE };
  return toChange(path, after, entry);
}

/** True for a folder that becomes a git folder and already contained configuration or hooks. */
async function isArmedBefore({ snapshots, before, after }: States, folder: string): Promise<boolean> {
  if (before === undefined || (await isGitFolder(snapshots, before, folder))) return false;
  if (!(await isGitFolder(snapshots, after, folder))) return false;
  for (const name of ['config', 'config.worktree', 'commondir', 'hooks'])
    if (await snapshots.entry(before, `${folder}/${name}`)) return true;
  return false;
}
