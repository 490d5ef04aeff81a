import { KlausError, type EventBody, type OtherChange, type TreeChange, type TreeId } from '../../protocol/index.ts';
import { toEngineMessage } from '../context/engine-message.ts';
import { restoreGit, type GitPlan } from '../git/plan-git.ts';
import type { Engine } from '../loop/engine.ts';
import { withSession } from '../loop/with-session.ts';
import type { Work } from '../loop/work.ts';
import { isBelow } from '../../policy/index.ts';
import type { ApplyResult, Conflict, Snapshots } from '../ports/snapshots.ts';
import { readLog } from '../state/load-state.ts';
import { runIdOf } from '../state/state.ts';
import { leaveToolFolders, type NotRestored } from './leave-tool-folders.ts';
import { planRestore, type RestorePlan, type RestoreRequest } from './plan-restore.ts';
import { snapshotAfter } from './snapshot-workspace.ts';
import { isSame, reverse } from './tree-row.ts';
import { addAuthors, readTurnHistory, type TurnHistory } from './turn-history.ts';

export interface RestoreOptions {
  /** What to do if a file was changed after the session. Default `refuse`: nothing is restored. */
  conflicts?: 'refuse' | 'keep' | 'overwrite';
  /**
   * What to do with changes of which it is unclear whether the session made them. `refuse`: they are conflicts too, unless
   * `conflicts` decides about those. Default: `restore` if conflicts are overwritten, else `keep`.
   */
  unclear?: 'refuse' | 'keep' | 'restore';
  /** True: only returns what would be restored. */
  dryRun?: boolean;
  /** Who requested it, for the log. */
  by: string;
}

export type Restored =
  | {
      done: true;
      turns: number[];
      /** Without paths that had their content already. */
      changes: TreeChange[];
      /** Changes in git's own data, and the refs that they moved. */
      git: GitRestored;
      kept: Conflict[];
      uncovered: readonly string[];
      /** Paths in `kept` of which it is unclear whether the session changed them. */
      unclear: string[];
      /** What others changed in these turns, or may have changed. */
      others: readonly OtherChange[];
      /** Folders of tools that were left as they are. `changes` does not have them. */
      notRestored: readonly NotRestored[];
    }
  /** Nothing was restored. */
  | {
      done: false;
      turns: number[];
      changes: TreeChange[];
      git: GitRestored;
      conflicts: Conflict[];
      unclear: string[];
      others: readonly OtherChange[];
      /** Folders of tools that would be left as they are. */
      notRestored: readonly NotRestored[];
      /** Of a dry run: paths that no state contains. */
      uncovered?: readonly string[];
    };

export type GitRestored = Pick<GitPlan, 'changes' | 'refs' | 'left'>;

/**
 * Restores files of a session's workspace in one step, and records it in the log. Files that were changed after the
 * session are only overwritten on request.
 *
 * @throws KlausError `store.busy` while a process works on the session, `undo.nothing`, `usage` for a turn or file without a state.
 */
export async function restore(
  engine: Engine,
  session: string,
  { request, ...options }: { request: RestoreRequest } & RestoreOptions,
): Promise<Restored> {
  const restored = await withSession(engine, { session }, async (work) => {
    // Closes an open turn: its later changes are a step of their own.
    if (!options.dryRun) await snapshotAfter(work);
    const snapshots = await work.snapshots();
    const history = readTurnHistory(await readLog(engine.store, (request.kind === 'file' && request.of) || session));
    if (options.dryRun) await addOpenAuthors(work, history);
    const planned = await planRestore({ snapshots, history }, request);
    const { plan, notRestored } = await leaveToolFolders(snapshots, planned, toStates(history, planned, request));
    const allGit = request.kind === 'undo' && request.git === true;
    const step = { ...plan, notRestored, left: history.steps.at(-1)?.to };
    return await carryOut(work, step, { kind: request.kind, allGit, ...options });
  });
  if (restored) return restored;
  throw new KlausError('store.busy', 'A process works on this session.', {
    hint: `Stop it with klaus interrupt ${session}, or wait until it has ended.`,
  });
}

/** The states of a plan. The first ones are those to which it leads. */
function toStates(history: TurnHistory, { turns }: RestorePlan, { kind }: RestoreRequest): TreeId[] {
  const last = kind === 'redo' ? history.redoable.at(-1)?.event : undefined;
  const own = history.turns.filter(({ turn }) => turns.includes(turn));
  return [
    ...(last ? [last.from, last.to] : []),
    ...own.flatMap(({ before, after }) => [before, ...(after ? [after] : [])]),
  ];
}

/** Adds the authors of an open turn, whose state after is not in the log yet. */
async function addOpenAuthors(work: Work, { turns }: TurnHistory): Promise<void> {
  const opened = work.state.openSnapshot;
  const turn = turns.at(-1);
  if (!opened || !turn || turn.after !== undefined) return;
  const snapshots = await work.snapshots();
  const tree = await snapshots.snapshot();
  const found = { tree, gitTree: await snapshots.snapshotGit(tree) };
  addAuthors({ turn }, await work.activities.findOwnState(work, { opened, found, guarded: found }));
}

interface RestoreStep extends RestorePlan {
  /** The state of the folders after the last step of the session. */
  left: TreeId | undefined;
  notRestored: readonly NotRestored[];
}

/** What `apply` would change, and the conflicts that it would return: files that were changed after the session. */
async function survey(
  snapshots: Snapshots,
  { changes, foreign, git }: Pick<RestorePlan, 'changes' | 'foreign' | 'git'>,
): Promise<{ changes: TreeChange[]; conflicts: Conflict[] }> {
  const conflicts = new Map(foreign.map((conflict) => [conflict.path, conflict]));
  const open: TreeChange[] = [];
  const now = await snapshots.snapshot();
  for (const change of changes) {
    const { path, before: expected, after } = change;
    const found = (await snapshots.entry(now, path)) ?? null;
    if (isSame(found, after)) continue;
    open.push(change);
    if (!isSame(found, expected)) conflicts.set(path, { path, expected, found });
  }
  return { changes: open, conflicts: [...conflicts.values(), ...git.conflicts] };
}

/**
 * The state before a step. If a killed process had already done the same step without its event, the state before that, so
 * that a redo reverts it. Files are always restored completely: a user who changed only some of them did so for another reason.
 * Folders are there before: with the repositories in them.
 *
 * @param before The state that was replaced.
 */
async function findBegin(
  snapshots: Snapshots,
  { changes, left }: Pick<RestoreStep, 'changes' | 'left'>,
  before: TreeId,
): Promise<TreeId> {
  if (left === undefined || left === before) return before;
  const planned = new Map(changes.map((row) => [row.path, row]));
  const done = await snapshots.changes(left, before);
  const isDone = done.every((row) => {
    const wanted = planned.get(row.path);
    return wanted !== undefined && isSame(row.before, wanted.before) && isSame(row.after, wanted.after);
  });
  const isFolder = ({ before: old, after }: TreeChange): boolean => (old ?? after)?.type === 'directory';
  return isDone && (done.length === changes.length || done.every(isFolder)) ? left : before;
}

async function carryOut(
  work: Work,
  { unclear: doubtful, all, others, notRestored, ...own }: RestoreStep,
  {
    kind,
    allGit,
    by,
    conflicts: choice = 'refuse',
    unclear: chosen = choice === 'overwrite' ? 'restore' : 'keep',
    dryRun,
  }: { kind: RestoreRequest['kind']; allGit: boolean } & RestoreOptions,
): Promise<Restored> {
  const { turns } = own;
  const restoresAll = chosen === 'restore' || (chosen === 'refuse' && choice === 'overwrite');
  const plan = restoresAll ? { ...own, ...all } : own;
  const snapshots = await work.snapshots();
  const open = restoresAll ? [] : await stillDifferent(snapshots, doubtful, plan.changes);
  const asked = chosen === 'refuse' && choice === 'refuse' ? open : [];
  const unclear = open.map(({ path }) => path);
  const { refs, left: leftRefs } = plan.git;
  const git = { changes: plan.git.changes, refs, left: leftRefs };
  const about = { turns, unclear, others, notRestored };
  if (dryRun) {
    const { changes, conflicts } = await survey(snapshots, plan);
    const uncovered = snapshots.uncovered(await snapshots.snapshot()).map(({ path }) => path);
    return {
      done: false,
      ...about,
      git,
      changes,
      conflicts: [...conflicts, ...asked],
      ...(uncovered.length > 0 ? { uncovered } : {}),
    };
  }
  const sure = plan.git.changes.length > 0 ? (await survey(snapshots, plan)).conflicts : plan.foreign;
  const known = [...sure, ...asked];
  if (known.length > 0 && choice === 'refuse') {
    return { done: false, ...about, changes: plan.changes, git, conflicts: known };
  }
  if (plan.changes.length + plan.git.changes.length === 0 && open.length > 0 && choice === 'refuse')
    return { done: false, ...about, changes: [], git, conflicts: open };
  const cleared = await clearPlaces(snapshots, plan, choice);
  if (cleared?.applied === false)
    return { done: false, ...about, changes: plan.changes, git, conflicts: cleared.conflicts };
  // Git's data is restored first: a folder that is removed can contain a repository that is removed.
  const gitResult = await restoreGit(snapshots, plan.git, choice === 'keep');
  let kept: Conflict[] = choice === 'keep' ? plan.foreign : [];
  let overwrite = new Set(choice === 'overwrite' ? plan.changes.map(({ path }) => path) : []);
  for (;;) {
    const left = new Set(kept.map(({ path }) => path));
    const changes = plan.changes.filter(({ path }) => !left.has(path));
    const result = await snapshots.apply(changes, { overwrite });
    if (result.applied) {
      const from = await findBegin(snapshots, { changes, left: plan.left }, cleared?.before ?? result.before);
      const restored = from === result.before ? result.changes : await snapshots.changes(from, result.after);
      const body: EventBody = {
        type: 'workspace.restored',
        kind,
        turns,
        from,
        to: result.after,
        git: gitResult.states,
        allGit: allGit || undefined,
        files: restored.length + gitResult.changes.length,
        kept: [...left, ...unclear, ...gitResult.kept.map(({ path }) => path)],
        by,
      };
      await work.append([body, ...toNote(work, { kind, turns, changes: restored, notRestored })]);
      const uncovered = snapshots.uncovered(result.before).map(({ path }) => path);
      const done = { changes: gitResult.changes, refs: gitResult.changes.length > 0 ? refs : [], left: leftRefs };
      const all = [...kept, ...open, ...gitResult.kept];
      return { done: true, ...about, changes: result.changes, git: done, kept: all, uncovered };
    }
    const isNew = result.conflicts.some(({ path }) => !left.has(path) && !overwrite.has(path));
    if (choice === 'refuse' || !isNew) {
      await snapshots.applyGit(gitResult.changes.map(reverse));
      if (cleared) await snapshots.apply(cleared.changes.map(reverse));
      return { done: false, ...about, changes, git, conflicts: result.conflicts };
    }
    if (choice === 'keep') kept = [...kept, ...result.conflicts];
    else overwrite = new Set([...overwrite, ...result.conflicts.map(({ path }) => path)]);
  }
}

/**
 * The changes that are not restored by others already, as the conflicts that they are.
 *
 * @param planned What will be restored without them.
 */
async function stillDifferent(
  snapshots: Snapshots,
  rows: readonly TreeChange[],
  planned: readonly TreeChange[],
): Promise<Conflict[]> {
  if (rows.length === 0) return [];
  const now = await snapshots.snapshot();
  const restored = new Map(planned.map(({ path, after }) => [path, after]));
  const found: Conflict[] = [];
  for (const { path, before, after } of rows) {
    const entry = restored.has(path) ? restored.get(path)! : ((await snapshots.entry(now, path)) ?? null);
    if (!isSame(entry, after)) found.push({ path, expected: before, found: entry });
  }
  return found;
}

/** Removes files at the place of a folder in which git's data is restored. @returns Undefined if there are none. */
async function clearPlaces(
  snapshots: Snapshots,
  { changes, git }: Pick<RestorePlan, 'changes' | 'git'>,
  choice: RestoreOptions['conflicts'],
): Promise<ApplyResult | undefined> {
  const restored = git.changes.filter(({ after }) => after);
  const rows = changes.filter(
    ({ path, before, after }) =>
      before &&
      before.type !== 'directory' &&
      after?.type === 'directory' &&
      restored.some((row) => isBelow(row.path, path)),
  );
  if (rows.length === 0) return undefined;
  return snapshots.apply(rows, { overwrite: new Set(choice === 'overwrite' ? rows.map(({ path }) => path) : []) });
}

/** Files that the message to the model names. */
const MAX_NAMED = 20;

function toNote(
  work: Work,
  {
    kind,
    turns,
    changes,
    notRestored,
  }: Pick<RestoreStep, 'turns' | 'changes' | 'notRestored'> & { kind: RestoreRequest['kind'] },
): EventBody[] {
  const run = runIdOf(work.state);
  if (run === '' || changes.length + notRestored.length === 0) return [];
  const names = changes.slice(0, MAX_NAMED).map(({ path, kind: change }) => `  ${change} ${path}`);
  if (changes.length > MAX_NAMED) names.push(`  … and ${changes.length - MAX_NAMED} more`);
  const verb = kind === 'undo' ? 'undid' : kind === 'redo' ? 'redid' : 'restored a file to';
  const what = turns.length === 0 ? 'undid the last restore' : `${verb} turn ${turns.join(', ')}`;
  for (const { path, command } of notRestored.slice(0, MAX_NAMED))
    names.push(`  left ${path}${command === undefined ? '' : `, which \`${command}\` rebuilds`}`);
  const text = `The user ${what}. Read files again before you rely on them:\n${names.join('\n')}`;
  return [toEngineMessage(work.engine.ids, { run, turn: work.state.turn }, text)];
}
