import type { EventBody, TreeChange, TreeId } from '../../protocol/index.ts';
import { toEngineMessage } from '../context/engine-message.ts';
import type { Work } from '../loop/work.ts';
import type { ApplyResult } from '../ports/snapshots.ts';
import { describeUnreverted, listNames } from '../workspace/unreverted-places.ts';
import type { GitGuarded, GuardInput } from '../workspace/guarded.ts';
import { reverse } from '../workspace/tree-row.ts';
import { askToKeep } from './ask-to-keep.ts';
import type { Carried } from './carried.ts';

/** Most files of which the log says that Git does not compare them. */
const MAX_HIDDEN = 200;

interface CarriedInput extends GuardInput {
  /** Changes of the workspace that were reverted, as the command made them. */
  reverted: readonly TreeChange[];
}

/**
 * Restores git's own data where it has new content at protected places. With an approver one question then lists all
 * places, and what was restored is applied again if the user keeps it.
 */
export async function guardCarried(
  work: Work,
  carried: Carried,
  input: CarriedInput,
): Promise<GitGuarded & { isKept: boolean }> {
  const { opened, tree, gitTree, reverted } = input;
  const { run, turn } = opened;
  const hidden = toHidden(work, carried);
  const notices: EventBody[] = carried.isSparse ? [toSparseNotice(run)] : [];
  const done = { bodies: notices, tree, gitTree, unreverted: [], hidden, isKept: false };
  if (carried.repairs.length === 0) return done;
  const snapshots = await work.snapshots();
  const result = await snapshots.applyGit(carried.repairs, toOverwrite(carried.repairs));
  const places = [...new Set(carried.paths)].toSorted();
  const names = places.length > 0 ? places : carried.unflagged;
  const unreverted = result.applied ? [] : result.conflicts.map(({ path }) => path);
  if (result.applied && carried.holders.length > 0 && (await askToKeep(work, opened, toQuestion(carried, reverted)))) {
    await snapshots.applyGit(carried.repairs.map(reverse), toOverwrite(carried.repairs));
    if (reverted.length > 0) await snapshots.apply(reverted, toOverwrite(reverted));
    const now = reverted.length > 0 ? await readTree(work, tree, reverted) : tree;
    return { ...done, tree: now, gitTree: await snapshots.snapshotGit(now), isKept: true };
  }
  const text = describe(carried, names);
  const bodies: EventBody[] = [
    {
      type: 'workspace.restored',
      kind: 'review',
      turns: [turn],
      from: tree,
      to: tree,
      ...(result.applied ? { git: { from: result.before, to: result.after } } : {}),
      files: countChanges(result),
      kept: unreverted,
      by: 'klaus',
    },
    toEngineMessage(work.engine.ids, opened, text),
    { type: 'notice', run, level: 'warn', text },
    ...notices,
  ];
  if (unreverted.length > 0) bodies.push({ type: 'notice', run, level: 'error', text: describeUnreverted(unreverted) });
  return { ...done, bodies, gitTree: await snapshots.snapshotGit(tree), unreverted };
}

function toOverwrite(rows: readonly TreeChange[]): { overwrite: Set<string> } {
  return { overwrite: new Set(rows.map(({ path }) => path)) };
}

async function readTree(work: Work, base: TreeId, rows: readonly TreeChange[]): Promise<TreeId> {
  const paths = rows.map(({ path }) => path);
  return (await work.snapshots()).snapshot({ only: { base, paths } });
}

function countChanges(result: ApplyResult): number {
  return result.applied ? result.changes.length : 0;
}

function toHidden(work: Work, carried: Carried): string[] | undefined {
  const cleared = new Set(carried.unflagged);
  const all = [...new Set([...(work.state.left?.hidden ?? []), ...carried.hidden])].filter(
    (path) => !cleared.has(path),
  );
  return all.length > 0 ? all.slice(0, MAX_HIDDEN) : undefined;
}

function toSparseNotice(run: string): EventBody {
  const text = 'A command changed which files of the repository are checked out (`.git/info/sparse-checkout`).';
  return { type: 'notice', run, level: 'warn', text };
}

function toQuestion(
  { paths, holders }: Carried,
  reverted: readonly TreeChange[],
): { places: string[]; holders: string[] } {
  const places = new Set([
    ...paths,
    ...reverted.filter(({ after }) => after?.type !== 'directory').map(({ path }) => path),
  ]);
  return { places: [...places].toSorted(), holders: [...new Set(holders)] };
}

function describe({ holders, unflagged }: Carried, names: readonly string[]): string {
  const parts: string[] = [];
  if (holders.length > 0) {
    const what = names.length > 0 ? `new content of ${listNames(names)}` : 'content that could not be checked';
    parts.push(
      `Reverted: ${listNames([...new Set(holders)])}. A command wrote ${what} there, which other programs obey. ` +
        'Change such files with the edit tools, which ask the user, and commit them then.',
    );
  } else if (names.length > 0 && unflagged.length === 0) parts.push(`Reverted: refs to replaced objects or old ids.`);
  if (unflagged.length > 0)
    parts.push(`Git compares ${listNames(unflagged)} with its index again: a command had switched that off.`);
  return parts.length > 0
    ? parts.join(' ')
    : 'Reverted: a command changed lists of git that refer to content of protected places, or that replace objects.';
}
