import { describePlace, isSecretPath, placeOf } from '../policy/index.ts';
import type { EventBody, EventOf, TreeChange, TreeId } from '../protocol/index.ts';
import { reverse } from './tree-row.ts';
import type { Work } from './work.ts';

/**
 * Looks at what commands of a turn changed at protected places and, unless a human let one of them pass, takes it
 * back: what the sandbox could not keep them from does not stay. A checkout brings such files by right: where git's
 * HEAD moved, the user is told and nothing is taken back.
 */
export async function guardPlaces(
  work: Work,
  { opened, after: tree }: { opened: EventOf<'workspace.snapshotted'>; after: TreeId },
): Promise<{ bodies: EventBody[]; tree: TreeId }> {
  const { state, engine } = work;
  const { run, turn, tree: before } = opened;
  const nothing = { bodies: [], tree };
  if (state.turnEffects?.isApproved) return nothing;
  if (engine.recorded) return { bodies: engine.recorded.guarded(), tree };
  const snapshots = await work.snapshots();
  const isGuarded = ({ path }: TreeChange): boolean =>
    placeOf(path) !== undefined && !isSecretPath(path) && !state.turnEffects?.paths.has(path);
  const rows = (await snapshots.changes(before, tree)).filter(isGuarded);
  if (rows.length === 0) return nothing;
  const names = rows.map(({ path }) => path);
  const what = describePlace(placeOf(names[0]!)!);
  if (headsOf(snapshots.git(before)) !== headsOf(snapshots.git(tree))) {
    const text = `A checkout changed what is ${what}: ${list(names)}. Look at it before you use it.`;
    return { bodies: [{ type: 'notice', run, level: 'warn', text }], tree };
  }
  const result = await snapshots.apply(rows.map(reverse));
  if (!result.applied) {
    const text = `A command changed what is ${what}, and it could not be taken back: ${list(names)}.`;
    return { bodies: [{ type: 'notice', run, level: 'error', text }], tree };
  }
  const to = await snapshots.snapshot({ only: { base: tree, paths: names } });
  const text =
    `Taken back: a command changed ${list(names)}, which is ${what}. ` +
    'Change such files with the edit tools, which ask the user.';
  const message = {
    id: engine.ids.ulid(),
    role: 'user' as const,
    origin: 'engine' as const,
    parts: [{ type: 'text' as const, text }],
  };
  return {
    bodies: [
      {
        type: 'workspace.restored',
        kind: 'review',
        turns: [turn],
        from: result.before,
        to: result.after,
        files: result.changes.length,
        kept: [],
        by: 'klaus',
      },
      { type: 'message.added', run, turn, message },
    ],
    tree: to,
  };
}

function headsOf(
  repositories: readonly { path: string; head: string; refs: Readonly<Record<string, string>> }[],
): string {
  return JSON.stringify(repositories.map(({ path, head, refs }) => [path, head, refs[head.replace(/^ref: /, '')]]));
}

function list(names: readonly string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(', ')} and ${names.length - 10} more` : names.join(', ');
}
