import { unlessFailed, type EventOf, type TreeChange, type TreeId } from '../../protocol/index.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { reverse, toChange } from '../workspace/tree-row.ts';

export interface Reverted {
  /** The reverting steps, with the states before and after; empty if there was nothing to revert. */
  steps: Pick<EventOf<'workspace.restored'>, 'from' | 'to' | 'files'>[];
  reverted: string[];
  /** The changes that were reverted, as the command made them. */
  rows: TreeChange[];
  failed: string[];
  /** The workspace after the last step. */
  tree: TreeId;
}

/** Attempts for paths that another program changes at the same time. */
const MAX_TRIES = 3;

/** Reverts paths. A failure at one path does not affect the others. Other files in created folders remain. */
export async function revertPlaces(
  snapshots: Snapshots,
  { rows, tree }: { rows: readonly TreeChange[]; tree: TreeId },
): Promise<Reverted> {
  const steps: Reverted['steps'] = [];
  const reverted = new Set<string>();
  let open = [...rows];
  let now = tree;
  const attempt = async (some: readonly TreeChange[]): Promise<string[]> => {
    const options = { overwrite: new Set(some.map(({ path }) => path)) };
    const result = await unlessFailed(() => snapshots.apply(some.map(reverse), options));
    // A failure at one path, such as a missing permission, must not affect the others.
    if (!result) {
      if (some.length === 1) return [some[0]!.path];
      const conflicts: string[] = [];
      for (const row of inOrder(some)) conflicts.push(...(await attempt([row])));
      return conflicts;
    }
    if (!result.applied) return result.conflicts.map(({ path }) => path);
    for (const { path } of result.changes) reverted.add(path);
    if (result.changes.length > 0) steps.push({ from: result.before, to: result.after, files: result.changes.length });
    return [];
  };
  for (let tries = 0; open.length > 0 && tries < MAX_TRIES; tries++) {
    let left = open;
    let blocked = new Set<string>();
    // Each round excludes at least one path that cannot be reverted now.
    while (left.length > 0) {
      const conflicts = await attempt(left);
      if (conflicts.length === 0) break;
      const rest = left.filter(({ path }) => !conflicts.some((conflict) => isNear(path, conflict)));
      blocked = new Set([...blocked, ...conflicts]);
      left = rest.length < left.length ? rest : [];
    }
    const paths = open.map(({ path }) => path);
    now = await snapshots.snapshot({ only: { base: now, paths } });
    open = await stillChanged(snapshots, open, now);
    if (blocked.size === 0) break;
  }
  const undone = rows.filter(({ path }) => !open.some((row) => row.path === path));
  return { steps, reverted: [...reverted], rows: undone, failed: open.map(({ path }) => path), tree: now };
}

/** Deletions first, from the innermost; then restorations, from the outermost. */
function inOrder(rows: readonly TreeChange[]): TreeChange[] {
  const goes = rows.filter(({ before }) => before === null).toReversed();
  return [...goes, ...rows.filter(({ before }) => before !== null)];
}

/** True for a path that equals, contains or is below a conflict. */
function isNear(path: string, conflict: string): boolean {
  return path === conflict || path.startsWith(`${conflict}/`) || conflict.startsWith(`${path}/`);
}

/** The rows whose paths are not restored, from their present entries. A created folder may contain other files. */
async function stillChanged(snapshots: Snapshots, rows: readonly TreeChange[], now: TreeId): Promise<TreeChange[]> {
  const left: TreeChange[] = [];
  for (const { path, before } of rows) {
    const found = (await snapshots.entry(now, path)) ?? null;
    if (before === null && found?.type === 'directory') continue;
    left.push(...toChange(path, before, found));
  }
  return left;
}
