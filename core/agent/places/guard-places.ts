import { placeOf, placesBelow } from '../../policy/index.ts';
import type { EventBody, TreeChange, TreeId } from '../../protocol/index.ts';
import { toEngineMessage } from '../context/engine-message.ts';
import { findCommittedPlaces } from './committed-places.ts';
import { findNamedPlaces } from './further-places.ts';
import type { WorkspaceState } from './linked-places.ts';
import { readNamed } from './named-places.ts';
import { findOtherEdits } from './other-edits.ts';
import { changesScripts, toRenamedPackage, toScriptRepair } from './package-places.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import { describePlaces, listNames, describeUnreverted } from '../workspace/unreverted-places.ts';
import { resolveInside } from './resolve-inside.ts';
import { revertPlaces, type Reverted } from './revert-places.ts';
import type { Work } from '../loop/work.ts';
import type { Guarded, GuardInput } from '../workspace/guarded.ts';

type Opened = GuardInput['opened'];

interface GuardPlacesInput {
  opened: Opened;
  after: TreeId;
  /** See {@link findTurnPlaces}. */
  rows: readonly TreeChange[];
  /** Paths whose content a known commit has. */
  found: ReadonlySet<string>;
}

/** Maximum uncovered paths in an event. */
const MAX_NAMED = 20;
/** Maximum bytes of a symlink's target. */
const MAX_TARGET = 4_096;

/**
 * Reverts changes of a turn's commands at protected places, path by path, unless an approved question named them. If HEAD
 * moved, paths with the content of a commit of the user are not reverted; see {@link findCommittedPlaces}. What other
 * sessions wrote in this time with an approval is not reverted either.
 */
export async function guardPlaces(
  work: Work,
  { opened, after: tree, rows, found }: GuardPlacesInput,
): Promise<Guarded & { steps: Reverted['rows'] }> {
  const snapshots = await work.snapshots();
  const unseen = findUnseen(snapshots, opened, tree);
  if (rows.length + unseen.length === 0) return { bodies: [], tree, unreverted: [], steps: [] };
  const { left, committed } = await findReverted(work, { opened, after: tree, rows, found });
  const repairs = await Promise.all(left.map((row) => toScriptRepair(snapshots, row)));
  const reverted = await revertPlaces(snapshots, { rows: repairs, tree });
  const unreverted = [...reverted.failed, ...unseen];
  const bodies = [
    ...toKeptNotice([...committed], opened.run),
    ...toFailedNotice(unreverted, opened.run),
    ...toRevertedBodies(work, { reverted, opened }),
  ];
  return { bodies, tree: reverted.tree, unreverted, steps: reverted.rows };
}

/** The rows that are reverted, and paths that are not because a known commit has their content. */
export async function findReverted(
  work: Work,
  { opened, after: tree, rows, found }: GuardPlacesInput,
): Promise<{ left: TreeChange[]; committed: ReadonlySet<string> }> {
  if (rows.length === 0) return { left: [], committed: found };
  const committed = new Set([
    ...(await findCommittedPlaces(work, { rows, before: opened.tree, after: tree })),
    ...found,
  ]);
  const others = await findOtherEdits(work, { rows, since: opened.at });
  const isKept = ({ path, before, after }: TreeChange): boolean =>
    committed.has(path) ||
    others.has(path) ||
    ((before ?? after)?.type === 'directory' && [...found].some((inner) => inner.startsWith(`${path}/`)));
  return { left: rows.filter((row) => !isKept(row)), committed };
}

/** The changes of a turn at protected places that no approved question named. */
export async function findTurnPlaces(
  work: Work,
  { opened, after }: { opened: Opened; after: TreeId },
): Promise<TreeChange[]> {
  const edited = work.state.turnEffects?.edited;
  const rows = await findPlaces(work, { before: opened, after, edited });
  if (rows.length === 0) return rows;
  const named = await readNamed(work);
  return rows.filter((row) => !named.hasPath(row.path, row.after === null));
}

/** Changes at protected places and of files of hooks, and changes that prevent their restoration. */
export async function findPlaces(
  work: Work,
  { before, after, edited }: { before: WorkspaceState; after: TreeId; edited?: ReadonlyMap<string, string | null> },
): Promise<TreeChange[]> {
  const snapshots = await work.snapshots();
  const rows = await snapshots.changes(before.tree, after);
  if (rows.length === 0) return [];
  const further = await findNamedPlaces(work, before);
  const isFurther = (path: string): boolean => further.some((place) => path === place || path.startsWith(`${place}/`));
  const found = new Map<string, TreeChange>();
  for (const row of rows) {
    // The gate allowed the content that an edit tool wrote.
    const isEdit = edited?.has(row.path) === true && edited.get(row.path) === (row.after?.hash ?? null);
    if (isEdit) continue;
    const isPlace =
      placeOf(row.path, { isNew: !row.before }) !== undefined ||
      isFurther(row.path) ||
      (await leadsToPlace(snapshots, row, after));
    if (isPlace || (await changesScripts(snapshots, row))) found.set(row.path, row);
    const moved = toRenamedPackage(rows, row);
    if (moved && (await changesScripts(snapshots, moved.renamed)))
      for (const each of [row, moved.deleted]) found.set(each.path, each);
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

/** True for a symlink through which existing files get the names of protected places. */
async function leadsToPlace(snapshots: Snapshots, { path, after: entry }: TreeChange, tree: TreeId): Promise<boolean> {
  if (entry?.type !== 'symlink' || entry.size > MAX_TARGET) return false;
  const below = placesBelow(path);
  if (below.length === 0) return false;
  if (!snapshots.isStored(entry)) return true;
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

/** Protected places with a new entry that no state can contain, such as a socket or an unreadable file. */
function findUnseen(snapshots: Snapshots, { tree: before, uncovered }: Opened, after: TreeId): string[] {
  // The list of the event is used if it is complete: states of the same files share one list, the last one.
  const isComplete =
    uncovered !== undefined && uncovered.filter((path) => placeOf(path) !== undefined).length < MAX_NAMED;
  const known = new Set(isComplete ? uncovered : snapshots.uncovered(before).map(({ path }) => path));
  const paths = snapshots.uncovered(after).map(({ path }) => path);
  return paths.filter((path) => !known.has(path) && placeOf(path) !== undefined);
}

function toKeptNotice(names: readonly string[], run: string): EventBody[] {
  if (names.length === 0) return [];
  const text = `A checkout of an existing commit changed ${listNames(names)}, ${describePlaces(names)}. Check it before you use it.`;
  return [{ type: 'notice', run, level: 'warn', text }];
}

function toFailedNotice(names: readonly string[], run: string): EventBody[] {
  if (names.length === 0) return [];
  return [{ type: 'notice', run, level: 'error', text: describeUnreverted(names) }];
}

function toRevertedBodies(work: Work, { reverted, opened }: { reverted: Reverted; opened: Opened }): EventBody[] {
  const { turn } = opened;
  if (reverted.steps.length === 0) return [];
  const text =
    `Reverted: a command changed ${listNames(reverted.reverted)}, ${describePlaces(reverted.reverted)}. ` +
    'Change such files with the edit tools, which ask the user.';
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
    toEngineMessage(work.engine.ids, opened, text),
  ];
}
