import { placeOf, placesBelow } from '../../policy/index.ts';
import type { EventBody, TreeChange, TreeId } from '../../protocol/index.ts';
import { findCommittedPlaces } from './committed-places.ts';
import { findLinkedPlaces, type WorkspaceState } from './linked-places.ts';
import { changesScripts, toScriptRepair } from './package-places.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { describePlaces, listNames, describeUnreverted } from '../workspace/unreverted-places.ts';
import { resolveInside } from './resolve-inside.ts';
import { revertPlaces, type Reverted } from './revert-places.ts';
import type { Work } from '../loop/work.ts';
import type { Guarded, GuardInput } from '../workspace/guarded.ts';

/** The state at the beginning of the turn. */
type Opened = GuardInput['opened'];

/** Paths that the log names of what a state does not hold. */
const MAX_NAMED = 20;
/** Bytes of a symlink's target that is followed. */
const MAX_TARGET = 4_096;

/**
 * Reverts what commands of a turn changed at protected places, path by path, unless a human approved the call. Where
 * HEAD moved, a path stays only when it is what a commit of the user's own holds; see {@link findCommittedPlaces}.
 */
export async function guardPlaces(
  work: Work,
  { opened, after: tree }: { opened: Opened; after: TreeId },
): Promise<Guarded> {
  const { state } = work;
  if (state.turnEffects?.isApproved) return { bodies: [], tree, unreverted: [] };
  const snapshots = await work.snapshots();
  const rows = await findPlaces(snapshots, { before: opened, after: tree, edited: state.turnEffects?.edited });
  const unseen = findUnseen(snapshots, opened, tree);
  if (rows.length + unseen.length === 0) return { bodies: [], tree, unreverted: [] };
  const committed = await findCommittedPlaces(work, { rows, before: opened.tree, after: tree });
  const left = rows.filter(({ path }) => !committed.has(path));
  const repairs = await Promise.all(left.map((row) => toScriptRepair(snapshots, row)));
  const reverted = await revertPlaces(snapshots, { rows: repairs, tree });
  const unreverted = [...reverted.failed, ...unseen];
  const bodies = [
    ...toKeptNotice([...committed], opened.run),
    ...toFailedNotice(unreverted, opened.run),
    ...toRevertedBodies(work, { reverted, opened }),
  ];
  return { bodies, tree: reverted.tree, unreverted };
}

/** Changes at protected places, and those without which such a place could not be restored. */
export async function findPlaces(
  snapshots: Snapshots,
  {
    before,
    after,
    edited,
  }: { before: WorkspaceState; after: TreeId; edited?: ReadonlyMap<string, string | null> | undefined },
): Promise<TreeChange[]> {
  const rows = await snapshots.changes(before.tree, after);
  if (rows.length === 0) return [];
  const further = await findLinkedPlaces(snapshots, before);
  const isFurther = (path: string): boolean => further.some((place) => path === place || path.startsWith(`${place}/`));
  const found = new Map<string, TreeChange>();
  for (const row of rows) {
    // What an edit tool wrote there the gate let pass, as long as it is still that.
    const isEdit = edited?.has(row.path) === true && edited.get(row.path) === (row.after?.hash ?? null);
    if (isEdit) continue;
    const isPlace =
      placeOf(row.path) !== undefined || isFurther(row.path) || (await leadsToPlace(snapshots, row, after));
    if (isPlace || (await changesScripts(snapshots, row))) found.set(row.path, row);
  }
  if (found.size === 0) return [];
  const byPath = new Map(rows.map((row) => [row.path, row]));
  for (const { path, before: was } of [...found.values()]) {
    if (!was) continue;
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const above = byPath.get(path.slice(0, at));
      if (above?.before?.type === 'directory' && above.after?.type !== 'directory') found.set(above.path, above);
    }
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** True for a symlink by which something that is there gets the name of a protected place. */
async function leadsToPlace(snapshots: Snapshots, { path, after: entry }: TreeChange, tree: TreeId): Promise<boolean> {
  if (entry?.type !== 'symlink' || entry.size > MAX_TARGET) return false;
  const below = placesBelow(path);
  if (below.length === 0) return false;
  const text = new TextDecoder().decode(await snapshots.content(entry));
  const folder = path.split('/').slice(0, -1).join('/');
  const target = text.startsWith('/') ? undefined : resolveInside(folder, text);
  if (target === undefined) return true;
  for (const rest of below) {
    const known = rest.split('/').findIndex((part) => part.includes('*'));
    const inside = (known < 0 ? rest.split('/') : rest.split('/').slice(0, known)).join('/');
    const full = [target, inside].filter((part) => part !== '').join('/');
    if (full === '' || (await snapshots.entry(tree, full))) return true;
  }
  return false;
}

/** Places at which something came to be that no state can hold, such as a socket or what may not be read. */
function findUnseen(snapshots: Snapshots, { tree: before, uncovered }: Opened, after: TreeId): string[] {
  // The event says what was there: a state of the same files is one state, and keeps only the last list.
  const isWhole = uncovered !== undefined && uncovered.filter((path) => placeOf(path) !== undefined).length < MAX_NAMED;
  const known = new Set(isWhole ? uncovered : snapshots.uncovered(before).map(({ path }) => path));
  const paths = snapshots.uncovered(after).map(({ path }) => path);
  return paths.filter((path) => !known.has(path) && placeOf(path) !== undefined);
}

function toKeptNotice(names: readonly string[], run: string): EventBody[] {
  if (names.length === 0) return [];
  const text = `A checkout of a commit that was there before changed ${listNames(names)}, ${describePlaces(names)}. Look at it before you use it.`;
  return [{ type: 'notice', run, level: 'warn', text }];
}

function toFailedNotice(names: readonly string[], run: string): EventBody[] {
  if (names.length === 0) return [];
  return [{ type: 'notice', run, level: 'error', text: describeUnreverted(names) }];
}

function toRevertedBodies(work: Work, { reverted, opened }: { reverted: Reverted; opened: Opened }): EventBody[] {
  const { run, turn } = opened;
  if (reverted.steps.length === 0) return [];
  const text =
    `Reverted: a command changed ${listNames(reverted.reverted)}, ${describePlaces(reverted.reverted)}. ` +
    'Change such files with the edit tools, which ask the user.';
  const message = {
    id: work.engine.ids.ulid(),
    role: 'user' as const,
    origin: 'engine' as const,
    parts: [{ type: 'text' as const, text }],
  };
  const first = reverted.steps[0]!;
  const last = reverted.steps.at(-1)!;
  return [
    {
      type: 'workspace.restored',
      kind: 'review',
      turns: [turn],
      from: first.from,
      to: last.to,
      files: reverted.steps.reduce((sum, { files }) => sum + files, 0),
      kept: reverted.failed,
      by: 'klaus',
    },
    { type: 'message.added', run, turn, message },
  ];
}
