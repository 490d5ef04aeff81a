import { KlausError, type TreeChange, type TreeEntry } from '@klaus/core/protocol';
import type { ApplyResult, Conflict } from '@klaus/core/agent';
import { codeOf } from '../../race-error.ts';
import { shorten } from '../../path-entry.ts';
import { toSnapshotError } from '../database.ts';
import { editTree, NEW_DIRECTORY_MODE, type TreeEdit } from './edit-tree.ts';
import { withScan, type SnapshotStore } from '../snapshot-store.ts';
import { readPathState, statPath, type PathState } from '../scan/path-state.ts';
import { Yielder } from '../../yielder.ts';
import { checkPath, toEdit } from '../path.ts';
import { ConflictError, runStep, toStagingName, type PathChange } from './restore-step.ts';
import { scanAt } from '../scan/scan-paths.ts';
import type { Scan } from '../scan/scan.ts';
import { lastState, toStateWrite } from '../states.ts';
import { endPlan, finishPlans, rollBack, writePlan, type RestorePlan } from './restore-plan.ts';
import { EMPTY, toTreeEntry } from '../tree.ts';
import { isSameEntry } from '../trees.ts';

const PERMISSIONS = 0o7777;
const OWNER_ALL = 0o700;

/** What is known of the affected paths before anything is touched. */
interface Survey {
  states: Map<string, PathState>;
  /** Directories below those that shall go which hold something that no row takes away. */
  holders: Set<string>;
  before: Buffer;
}

export interface ApplyOptions {
  overwrite?: ReadonlySet<string>;
  /** The rows are between states of git's own data, which are never the workspace's last one. */
  isGit?: boolean;
}

/** See `Snapshots.apply`. The caller holds the lock alone. */
export async function applyChanges(
  store: SnapshotStore,
  changes: readonly TreeChange[],
  { overwrite = new Set(), isGit = false }: ApplyOptions,
): Promise<ApplyResult> {
  await finishPlans(store);
  const rows = toRows(store, changes, isGit);
  const yielder = new Yielder();
  const decided = await withScan(store, { root: store.root, updatesCache: true, yielder }, async (scan) => {
    const survey = await inspectPaths(store, { ...scan, isGit }, rows);
    const { conflicts, todo, edits } = await planChanges(store, { rows, survey, overwrite });
    if (conflicts.length > 0) {
      await scan.batch.flush();
      return { conflicts };
    }
    const after = await editTree(
      { trees: store.trees, batch: scan.batch, yielder: scan.yielder },
      survey.before,
      edits,
    );
    await scan.batch.flush();
    return { survey, after, todo };
  });
  if ('conflicts' in decided) return { applied: false, conflicts: decided.conflicts! };
  const { survey, after } = decided;
  const result = await store.trees.changes(survey.before, after, yielder);
  const moves: PathChange[] = result.map((row) => {
    const states = survey.states.get(row.path);
    return { path: row.path, now: row.before, goal: row.after, stat: states?.stat };
  });
  // What a deeper inspectPaths found has not been looked at one by one.
  for (const move of moves) {
    move.stat ??= await statPath(store.root, move.path);
    if (yielder.due) await yielder.yield();
  }
  const plan: RestorePlan = {
    before: survey.before.toString('hex'),
    after: after.toString('hex'),
    staging: toStagingName(),
    locked: await findLocked(store, moves, yielder),
    back: false,
  };
  return execute(store, { plan, moves, result, yielder, isGit });
}

async function execute(
  store: SnapshotStore,
  work: { plan: RestorePlan; moves: PathChange[]; result: TreeChange[]; yielder: Yielder; isGit: boolean },
): Promise<ApplyResult> {
  const { plan, moves, result, yielder, isGit } = work;
  const { db } = store;
  const save = (tree: string) => toStateWrite(db, Buffer.from(tree, 'hex'), { isLast: !isGit })?.();
  if (moves.length > 0) {
    const id = db.transaction(() => {
      save(plan.before);
      return writePlan(store, plan);
    });
    try {
      await runStep(store, moves, { staging: plan.staging, locked: plan.locked, lenient: false, yielder });
    } catch (error) {
      await rollBack(store, id, plan);
      if (!(error instanceof ConflictError)) throw toFailure(error, store.root.path);
      const { entry } = await readPathState(store.root, error.path, { yielder });
      const expected = moves.find((move) => move.path === error.path)?.now ?? null;
      return { applied: false, conflicts: [{ path: error.path, expected, found: entry }] };
    }
    db.transaction(() => {
      endPlan(store, id);
      save(plan.after);
    });
  } else db.transaction(() => save(plan.after));
  return { applied: true, changes: result, before: plan.before, after: plan.after };
}

/** Rows in order of path. @throws KlausError `usage`. */
function toRows(store: SnapshotStore, changes: readonly TreeChange[], isGit: boolean): TreeChange[] {
  const rows = changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const [i, row] of rows.entries()) {
    checkPath(row.path, store.excluded, isGit);
    if (rows[i + 1]?.path === row.path) {
      throw new KlausError('usage', `${shorten(row.path)} is changed twice in one step.`);
    }
    const { after } = row;
    if (after && after.type !== 'directory' && !store.objects.has(Buffer.from(after.hash, 'hex'))) {
      throw new KlausError('usage', `The content for ${shorten(row.path)} is not store any more; nothing was changed.`);
    }
  }
  return rows;
}

/** Looks at every affected path and takes in what is there. A directory that shall go is looked at as a whole. */
async function inspectPaths(store: SnapshotStore, scan: Scan, rows: readonly TreeChange[]): Promise<Survey> {
  const named = new Map(rows.map((row) => [row.path, row]));
  const states = new Map<string, PathState>();
  const holders = new Set<string>();
  const edits = new Map<string, TreeEdit>();
  const whole = new Set<string>();
  for (const { path, after } of rows) {
    // The last state may be old: what stands above the path now is what the step begins from.
    for (const above of toAncestors(path)) {
      if (named.has(above) || edits.has(above)) continue;
      const stat = await statPath(store.root, above);
      if (!stat) edits.set(above, null);
      else if (stat.isDirectory()) {
        edits.set(above, { type: 'directory', mode: stat.mode & PERMISSIONS, size: 0, hash: undefined });
      }
    }
    const one = await readPathState(store.root, path, scan);
    states.set(path, one);
    if (scan.writer?.full) await scan.writer.drain();
    if (scan.yielder.due) await scan.yielder.yield();
    if (toAncestors(path).some((above) => whole.has(above))) continue;
    edits.set(path, one.unsupported ? null : toEdit(one.entry));
    if (one.entry?.type !== 'directory' || one.unsupported || after?.type === 'directory') continue;
    whole.add(path);
    const from = { uncovered: scan.uncovered.length, repositories: scan.repositories.length };
    const hash = (await scanAt(store.root, scan, path)) ?? EMPTY;
    edits.set(path, { type: 'directory', mode: one.entry.mode, size: 0, hash });
    await scan.batch.flush();
    const stay = (found: string) => {
      if (named.get(found)?.after !== null) holders.add(found.slice(0, found.lastIndexOf('/')));
    };
    for (const one of scan.uncovered.slice(from.uncovered)) stay(one.path);
    for (const found of scan.repositories.slice(from.repositories)) stay(found);
    for (const below of store.trees.walk(hash, path)) {
      stay(below.path);
      if (scan.yielder.due) await scan.yielder.yield();
    }
  }
  await scan.batch.flush();
  const before = await editTree(
    { trees: store.trees, batch: scan.batch, yielder: scan.yielder },
    (scan.isGit ? undefined : lastState(store.db)) ?? EMPTY,
    edits,
  );
  await scan.batch.flush();
  return { states, holders, before };
}

/** Says which rows are to be carried out, and which cannot be. */
async function planChanges(
  store: SnapshotStore,
  { rows, survey, overwrite }: { rows: readonly TreeChange[]; survey: Survey; overwrite: ReadonlySet<string> },
): Promise<{ conflicts: Conflict[]; todo: TreeChange[]; edits: Map<string, TreeEdit> }> {
  const conflicts: Conflict[] = [];
  const todo: TreeChange[] = [];
  const edits = new Map<string, TreeEdit>();
  const goals = new Map(rows.map((row) => [row.path, row.after]));
  // What holds something stays, and so does all above it.
  const staying = new Set([...survey.holders].flatMap((path) => [path, ...toAncestors(path)]));
  for (const row of rows) {
    const { entry: found, unsupported } = survey.states.get(row.path)!;
    if (!unsupported && isSameEntry(found, row.after)) continue;
    const isAsExpected = !unsupported && isSameEntry(found, row.before);
    const holdsMore = found?.type === 'directory' && row.after?.type !== 'directory' && staying.has(row.path);
    const isForced = overwrite.has(row.path);
    if (unsupported || (!isAsExpected && !isForced)) {
      conflicts.push({ path: row.path, expected: row.before, found });
    } else if (holdsMore) {
      // It holds something that no row names. Named to be overwritten it stays, with that; nothing can take its place.
      const isNamed = isForced || [...overwrite].some((path) => path.startsWith(`${row.path}/`));
      if (!isNamed || row.after !== null) conflicts.push({ path: row.path, expected: row.before, found });
    } else {
      todo.push(row);
      edits.set(row.path, toEdit(row.after));
    }
  }
  const clear = new Set<string>();
  for (const { path, after } of todo) {
    if (after) conflicts.push(...(await planParents(store, { path, goals, edits, clear })));
  }
  const unique = new Map(conflicts.map((conflict) => [conflict.path, conflict]));
  return { conflicts: [...unique.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)), todo, edits };
}

/** The paths of the directories above, outermost first. */
function toAncestors(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, i) => names.slice(0, i + 1).join('/'));
}

/** Plans the directories that are missing above a path. What stands in the way is a conflict. */
async function planParents(
  store: SnapshotStore,
  at: {
    path: string;
    goals: ReadonlyMap<string, TreeEntry | null>;
    edits: Map<string, TreeEdit>;
    /** Directories that were looked at already. */
    clear: Set<string>;
  },
): Promise<Conflict[]> {
  for (const above of toAncestors(at.path)) {
    if (at.clear.has(above) || at.edits.get(above)?.type === 'directory') continue;
    at.clear.add(above);
    const stat = await statPath(store.root, above);
    if (stat?.isDirectory() && at.goals.get(above) !== null) continue;
    const expected: TreeEntry = toTreeEntry({ type: 'directory', mode: NEW_DIRECTORY_MODE, size: 0, hash: EMPTY });
    if (!stat) at.edits.set(above, toEdit(expected));
    else {
      const { entry } = await readPathState(store.root, above, { yielder: new Yielder() });
      return [{ path: above, expected, found: entry }];
    }
  }
  return [];
}

/** Directories in which something is to change and which their owner may not change. */
async function findLocked(
  store: SnapshotStore,
  moves: readonly PathChange[],
  yielder: Yielder,
): Promise<[string, number][]> {
  const locked: [string, number][] = [];
  // The folder for files on their way stands in the root.
  const parents = new Set(['', ...moves.map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))]);
  for (const path of [...parents].toSorted()) {
    if (yielder.due) await yielder.yield();
    const stat = await statPath(store.root, path === '' ? '.' : path);
    if (stat?.isDirectory() && (stat.mode & OWNER_ALL) !== OWNER_ALL) locked.push([path, stat.mode & PERMISSIONS]);
  }
  return locked;
}

function toFailure(error: unknown, folder: string): unknown {
  const known = toSnapshotError(error, folder);
  const code = codeOf(error);
  if (known !== error || code === '' || (error instanceof Error && error.name === 'KlausError')) return known;
  return new KlausError('tool.failed', `The files could not be restored (${code}); nothing was changed.`, {
    cause: error,
  });
}
