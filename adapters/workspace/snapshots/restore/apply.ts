import { relative } from 'node:path';
import { isBelow } from '@klaus/core/policy';
import { KlausError, type TreeChange, type TreeEntry } from '@klaus/core/protocol';
import type { ApplyResult, Conflict } from '@klaus/core/agent';
import { mountsBelow } from '../../compare-names.ts';
import { codeOf } from '../../race-error.ts';
import { parentOf, shorten, toAncestors } from '../../path-entry.ts';
import { toSnapshotError } from '../database.ts';
import { editTree, NEW_DIRECTORY_MODE, type TreeEdit } from './edit-tree.ts';
import { withScan, type SnapshotStore } from '../snapshot-store.ts';
import { PERMISSIONS, readPathState, statPath, type PathState } from '../scan/path-state.ts';
import { Yielder } from '../../yielder.ts';
import { checkPath, toEdit } from '../path.ts';
import { ConflictError, type PathChange } from './restore-step.ts';
import { runStep } from './run-step.ts';
import { toTemporaryName } from '../../temporary-name.ts';
import { scanAt } from '../scan/scan-paths.ts';
import type { Scan } from '../scan/scan.ts';
import { lastState, toStateWrite } from '../states.ts';
import { endPlan, finishPlans, rollBack, type RestorePlan } from './restore-plan.ts';
import { EMPTY, toTreeEntry } from '../tree.ts';
import { isSameEntry } from '../trees.ts';

const OWNER_ALL = 0o700;

/** The state of the affected paths before any change. */
interface Survey {
  states: Map<string, PathState>;
  /** Directories, in directories to delete, with content that no row deletes. */
  holders: Set<string>;
  before: Buffer;
}

export interface ApplyOptions {
  overwrite?: ReadonlySet<string>;
  /** True for rows between states of git's own data, which are never the last state of the workspace. */
  isGit?: boolean;
}

/** See `Snapshots.apply`. The caller holds the exclusive lock. */
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
    const { conflicts, edits } = await planChanges(store, { rows, survey, overwrite });
    if (conflicts.length > 0) {
      await scan.batch.flush();
      return { conflicts };
    }
    const after = await editTree(scan, survey.before, edits);
    await scan.batch.flush();
    return { survey, after };
  });
  if ('conflicts' in decided) return { applied: false, conflicts: decided.conflicts! };
  const { survey, after } = decided;
  const result = await store.trees.changes(survey.before, after, yielder);
  const pathChanges: PathChange[] = result.map((row) => {
    const states = survey.states.get(row.path);
    return { path: row.path, now: row.before, goal: row.after, stat: states?.stat };
  });
  // Paths that a directory scan found have no stat yet.
  for (const change of pathChanges) {
    change.stat ??= await statPath(store.root, change.path);
    if (yielder.due) await yielder.yield();
  }
  const plan: RestorePlan = {
    before: survey.before.toString('hex'),
    after: after.toString('hex'),
    staging: toTemporaryName(),
    locked: await findLocked(store, pathChanges, yielder),
    back: false,
  };
  return execute(store, { plan, pathChanges, result, yielder, isGit });
}

async function execute(
  store: SnapshotStore,
  work: { plan: RestorePlan; pathChanges: PathChange[]; result: TreeChange[]; yielder: Yielder; isGit: boolean },
): Promise<ApplyResult> {
  const { plan, pathChanges, result, yielder, isGit } = work;
  const { db } = store;
  const save = (tree: string) => toStateWrite(db, Buffer.from(tree, 'hex'), { isLast: !isGit })?.();
  if (pathChanges.length > 0) {
    const id = db.transaction(() => {
      save(plan.before);
      return Number(db.run('INSERT INTO steps (plan) VALUES (?)', JSON.stringify(plan)).lastInsertRowid);
    });
    try {
      await runStep(store, pathChanges, { staging: plan.staging, locked: plan.locked, lenient: false, yielder });
    } catch (error) {
      await rollBack(store, id, plan);
      if (!(error instanceof ConflictError)) throw toFailure(error, store.root.path);
      const { entry } = await readPathState(store.root, error.path, { yielder });
      const expected = pathChanges.find((change) => change.path === error.path)?.now ?? null;
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
      throw new KlausError(
        'usage',
        `The content for ${shorten(row.path)} is not stored any more; nothing was changed.`,
      );
    }
  }
  return rows;
}

/** Reads and stores the present state of every affected path. Directories to delete are scanned completely. */
async function inspectPaths(store: SnapshotStore, scan: Scan, rows: readonly TreeChange[]): Promise<Survey> {
  const named = new Map(rows.map((row) => [row.path, row]));
  const states = new Map<string, PathState>();
  const holders = new Set<string>();
  const edits = new Map<string, TreeEdit>();
  const scanned = new Set<string>();
  for (const { path, after } of rows) {
    // The last state may be outdated, so the present parents of the path are used.
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
    if (toAncestors(path).some((above) => scanned.has(above))) continue;
    edits.set(path, one.unsupported ? null : toEdit(one.entry));
    if (one.entry?.type !== 'directory' || one.unsupported || after?.type === 'directory') continue;
    scanned.add(path);
    const from = { uncovered: scan.uncovered.length, repositories: scan.repositories.length };
    const hash = (await scanAt(store.root, scan, path)) ?? EMPTY;
    edits.set(path, { type: 'directory', mode: one.entry.mode, size: 0, hash });
    await scan.batch.flush();
    const keep = (found: string) => {
      if (named.get(found)?.after !== null) holders.add(parentOf(found));
    };
    for (const one of scan.uncovered.slice(from.uncovered)) keep(one.path);
    for (const found of scan.repositories.slice(from.repositories)) keep(found);
    for (const below of store.trees.walk(hash, path)) {
      keep(below.path);
      if (scan.yielder.due) await scan.yielder.yield();
    }
  }
  await scan.batch.flush();
  const base = (scan.isGit ? undefined : lastState(store.db)) ?? EMPTY;
  const before = await editTree(scan, base, edits);
  await scan.batch.flush();
  return { states, holders, before };
}

/** Determines the edits and the conflicts. */
async function planChanges(
  store: SnapshotStore,
  { rows, survey, overwrite }: { rows: readonly TreeChange[]; survey: Survey; overwrite: ReadonlySet<string> },
): Promise<{ conflicts: Conflict[]; edits: Map<string, TreeEdit> }> {
  const conflicts: Conflict[] = [];
  const todo: TreeChange[] = [];
  const edits = new Map<string, TreeEdit>();
  const goals = new Map(rows.map((row) => [row.path, row.after]));
  // Directories with remaining content are kept, together with their parents.
  const remaining = new Set([...survey.holders].flatMap((path) => [path, ...toAncestors(path)]));
  const mounts = mountsBelow([store.root.path]).map((path) => relative(store.root.path, path));
  for (const row of rows) {
    const { entry: found, unsupported } = survey.states.get(row.path)!;
    if (!unsupported && isSameEntry(found, row.after)) continue;
    const isAsExpected = !unsupported && isSameEntry(found, row.before);
    const holdsMore = found?.type === 'directory' && row.after?.type !== 'directory' && remaining.has(row.path);
    const isForced = overwrite.has(row.path);
    if (unsupported || isMounted(row, mounts) || (!isAsExpected && !isForced)) {
      conflicts.push({ path: row.path, expected: row.before, found });
    } else if (holdsMore) {
      // It has content that no row lists. If it may be overwritten, it is kept with that content, but cannot be replaced.
      const isOverwritten = isForced || [...overwrite].some((path) => path.startsWith(`${row.path}/`));
      if (!isOverwritten || row.after !== null) conflicts.push({ path: row.path, expected: row.before, found });
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
  return { conflicts: [...unique.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)), edits };
}

/** True for what is in a mount, and for a folder that contains one and does not remain: no state covers mounts. */
function isMounted({ path, after }: TreeChange, mounts: readonly string[]): boolean {
  return mounts.some((mount) => isBelow(path, mount) || (after?.type !== 'directory' && isBelow(mount, path)));
}

/** Plans missing parent directories of a path. A file in the place of a parent is a conflict. */
async function planParents(
  store: SnapshotStore,
  at: {
    path: string;
    goals: ReadonlyMap<string, TreeEntry | null>;
    edits: Map<string, TreeEdit>;
    /** Directories that were checked already. */
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

/** Directories with changes that their owner cannot write. */
async function findLocked(
  store: SnapshotStore,
  pathChanges: readonly PathChange[],
  yielder: Yielder,
): Promise<[string, number][]> {
  const locked: [string, number][] = [];
  // The staging folder is in the root.
  const parents = new Set(['', ...pathChanges.map(({ path }) => parentOf(path))]);
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
