import type { TreeChange, TreeEntry } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { withoutSeemingDeleted, withoutSeemingNew } from './known-changes.ts';
import { isSame, toChange } from './tree-row.ts';
import type { Step } from './turn-history.ts';

/** What a session changed at one path. */
export interface OwnChange {
  /** From the state before its first change to the one after its last. */
  row: TreeChange;
  /** The changes without those of others: more than one if others changed the path between them. */
  parts: TreeChange[];
}

/** The states of a path, each changed by the session into the next. */
type States = (TreeEntry | null)[];

/**
 * What the steps of a session changed, in order of path. Changes that others made between the steps are left out, and so
 * are changes that others reverted.
 */
export async function findOwnChanges(snapshots: Snapshots, steps: readonly Step[]): Promise<OwnChange[]> {
  const paths = new Map<string, States[]>();
  for (const [at, { from, to, own }] of steps.entries()) {
    const left = to ?? steps[at + 1]?.from ?? (await snapshots.snapshot());
    const rows = withoutSeemingNew(snapshots, await snapshots.changes(from, own ?? left), from);
    for (const { path, before, after } of withoutSeemingDeleted(snapshots, rows, left)) {
      const chain = cutReverted(paths.get(path) ?? [], before);
      const last = chain.at(-1)!;
      last.push(after);
      paths.set(path, chain);
    }
  }
  return [...paths].flatMap(([path, chain]) => toOwnChange(path, chain)).toSorted((a, b) => compare(a.row, b.row));
}

/** The states of a path up to the one in which the session found it. If it never left it like that, it begins a new list. */
function cutReverted(chain: States[], found: TreeEntry | null): States[] {
  for (const [at, states] of [...chain.entries()].toReversed()) {
    const known = states.findLastIndex((state) => isSame(state, found));
    if (known >= 0) return [...chain.slice(0, at), states.slice(0, known + 1)];
  }
  return [...chain, [found]];
}

function toOwnChange(path: string, chain: readonly States[]): OwnChange[] {
  const parts = chain.flatMap((states) => toChange(path, states[0]!, states.at(-1)!));
  const [row] = toChange(path, chain[0]![0]!, chain.at(-1)!.at(-1)!);
  return row && parts.length > 0 ? [{ row, parts }] : [];
}

function compare(a: TreeChange, b: TreeChange): number {
  return a.path < b.path ? -1 : 1;
}
