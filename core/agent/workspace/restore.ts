import { KlausError, type EventBody, type TreeChange, type TreeEntry, type TreeId } from '../../protocol/index.ts';
import { loadState, readLog } from '../loop/load-state.ts';
import type { Engine } from '../loop/engine.ts';
import { snapshotAfter } from './snapshot-workspace.ts';
import type { Conflict, Snapshots } from '../ports/snapshots.ts';
import { openedOf, type State } from '../loop/state.ts';
import { compose } from './compose-turns.ts';
import { NO_GIT, planGitRedo, planGitUndo, restoreGit, type GitPlan } from '../git/plan-git.ts';
import { isSame, reverse } from './tree-row.ts';
import { readTurnHistory, type TurnHistory, type TurnStates } from './turn-history.ts';
import { createWork, openSnapshotsOf, runIdOf, type Work } from '../loop/work.ts';

/** What to put back. */
export type RestoreRequest =
  /** Everything that the last prompt changed, or everything from `turn` on. */
  | {
      kind: 'undo';
      turn?: number;
      /** Only the last turn that changed something. Default false. */
      step?: boolean;
      /** Also git's own data: HEAD, refs, index, stash and reflogs of the top and nested repositories. Default false. */
      git?: boolean;
    }
  /** What the last undo, or restored file, replaced. */
  | { kind: 'redo' }
  /** One file or folder as it was before a turn began, or after it ended. */
  | {
      kind: 'file';
      path: string;
      turn: number;
      side?: 'before' | 'after';
      /** The session whose turns are meant, such as the original of a fork. Default: the session itself. */
      of?: string;
    };

export interface RestoreOptions {
  /** What to do where somebody changed a file meanwhile. Default: touch nothing and say so. */
  conflicts?: 'refuse' | 'keep' | 'overwrite';
  /** Only say what would be done. */
  dryRun?: boolean;
  /** Who asks, for the log. */
  by: string;
}

export type Restored =
  | {
      done: true;
      turns: number[];
      changes: TreeChange[];
      /** What changed in git's own data, and the refs that moved with it. */
      git: GitRestored;
      kept: Conflict[];
      uncovered: readonly string[];
    }
  /** Nothing was touched. */
  | { done: false; turns: number[]; changes: TreeChange[]; git: GitRestored; conflicts: Conflict[] };

export type GitRestored = Pick<GitPlan, 'changes' | 'refs'>;

/**
 * Puts files of a session's workspace back, as one step, and writes it into the log. Nothing that somebody
 * changed since is overwritten unasked.
 *
 * @throws KlausError `store.busy` while a process works on the session, `usage` when there is nothing to do.
 */
export async function restore(
  engine: Engine,
  session: string,
  { request, ...options }: { request: RestoreRequest } & RestoreOptions,
): Promise<Restored> {
  const lease = await engine.store.claim(session);
  if (!lease) {
    throw new KlausError('store.busy', 'A process works on this session.', {
      hint: `Stop it with klaus cancel ${session}, or wait until it has ended.`,
    });
  }
  try {
    const state = await loadState(engine, session);
    const work = createWork({
      engine,
      session,
      lease,
      state,
      stop: new AbortController().signal,
      isLeaving: () => false,
    });
    // A turn that is under way ends here: what it does after this is another step, to be taken back by itself.
    if (!options.dryRun) await snapshotAfter(work);
    const snapshots = await work.snapshots();
    const history = readTurnHistory(await readLog(engine.store, (request.kind === 'file' && request.of) || session));
    const plan = await toPlan({ snapshots, history, state }, request);
    return await carryOut(work, { ...plan, left: history.steps.at(-1)?.to }, { kind: request.kind, ...options });
  } finally {
    await lease.release();
  }
}

interface Plan {
  turns: number[];
  changes: TreeChange[];
  git: GitPlan;
  /** Files that somebody else changed: what the session left there is gone. */
  foreign: Conflict[];
}

interface Begun extends Plan {
  /** The state in which the session left its folders. */
  left: TreeId | undefined;
}

interface Planning {
  snapshots: Snapshots;
  history: TurnHistory;
  state: State;
}

async function toPlan(planning: Planning, request: RestoreRequest): Promise<Plan> {
  switch (request.kind) {
    case 'undo':
      return await planUndo(planning, request);
    case 'redo':
      return await planRedo(planning);
    case 'file':
      return await planFile(planning, request);
  }
}

async function planUndo(
  { snapshots, history }: Planning,
  { turn, step = false, git: all = false }: Extract<RestoreRequest, { kind: 'undo' }>,
): Promise<Plan> {
  const standing = history.turns.filter(({ isUndone }) => !isUndone);
  if (turn !== undefined) {
    const chosen = standing.filter((candidate) => candidate.turn >= turn);
    if (chosen.length === 0) throw nothing(`Nothing of turn ${turn} or later is left to take back.`);
    return await composeTurns(snapshots, chosen, all);
  }
  // What had effects but changed no file is passed over.
  for (const last of standing.toReversed()) {
    const same = standing.filter((candidate) =>
      step ? candidate.turn === last.turn : candidate.prompt === last.prompt,
    );
    const plan = await composeTurns(snapshots, same, all);
    if (plan.changes.length > 0 || plan.foreign.length > 0 || plan.git.changes.length > 0) return plan;
  }
  throw nothing('Nothing is left to take back in this session.');
}

/** One change that undoes several turns. */
async function composeTurns(snapshots: Snapshots, turns: readonly TurnStates[], all: boolean): Promise<Plan> {
  const { changes, foreign } = await compose(snapshots, turns);
  const git = await planGitUndo(snapshots, turns, all);
  return { turns: [...new Set(turns.map(({ turn }) => turn))], changes, foreign, git };
}

async function planRedo({ snapshots, history }: Planning): Promise<Plan> {
  const last = history.redoable.at(-1);
  if (!last) throw nothing('There is no undo that could be made again.');
  const { kind, turns, from, to } = last.event;
  const changes = await snapshots.changes(to, from);
  return {
    turns: kind === 'undo' ? turns : [],
    changes,
    foreign: [],
    git: await planGitRedo(snapshots, last.event.git),
  };
}

/** What the session left at each path that it ever changed. */
async function findLeft(snapshots: Snapshots, { steps }: TurnHistory): Promise<Map<string, TreeEntry | null>> {
  const left = new Map<string, TreeEntry | null>();
  for (const { from, to } of steps) {
    const rows = await snapshots.changes(from, to ?? (await snapshots.snapshot()));
    for (const { path, after } of rows) left.set(path, after);
  }
  return left;
}

/** As it stands in states: absolute in a further folder; '' is the whole workspace. */
function toPlain(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return `${path.startsWith('/') ? '/' : ''}${names.join('/')}`;
}

async function planFile(
  { snapshots, history }: Planning,
  { path: given, turn, side = 'before' }: Extract<RestoreRequest, { kind: 'file' }>,
): Promise<Plan> {
  const path = toPlain(given);
  const found = history.turns.filter((candidate) => candidate.turn === turn);
  const tree: TreeId | undefined = side === 'before' ? found[0]?.before : found.at(-1)?.after;
  if (tree === undefined) {
    const known = [...new Set(history.turns.map((candidate) => candidate.turn))].join(', ');
    throw nothing(
      `There is no state ${side} turn ${turn}.`,
      known === '' ? 'No turn changed anything.' : `Turns: ${known}.`,
    );
  }
  const base = history.turns.at(-1)?.after ?? tree;
  const now = await snapshots.snapshot({ only: { base, paths: [path] } });
  const isMine = (row: TreeChange): boolean => path === '' || row.path === path || row.path.startsWith(`${path}/`);
  const changes = (await snapshots.changes(now, tree)).filter(isMine);
  if (
    changes.length === 0 &&
    path !== '' &&
    !(await snapshots.entry(tree, path)) &&
    !(await snapshots.entry(now, path))
  ) {
    throw nothing(`There is no ${path} ${side} turn ${turn}.`);
  }
  const left = await findLeft(snapshots, history);
  const first = history.steps[0]!.from;
  const foreign: Conflict[] = [];
  for (const { path: at, before: now } of changes) {
    const expected = left.has(at) ? left.get(at)! : ((await snapshots.entry(first, at)) ?? null);
    if (!isSame(now, expected)) foreign.push({ path: at, expected, found: now });
  }
  return { turns: [turn], changes, foreign, git: NO_GIT };
}

/** What `apply` would find: files that are not as the session left them. */
async function findConflicts(snapshots: Snapshots, { changes, foreign, git }: Plan): Promise<Conflict[]> {
  const conflicts = new Map(foreign.map((conflict) => [conflict.path, conflict]));
  const now = await snapshots.snapshot();
  for (const { path, before: expected, after } of changes) {
    const found = (await snapshots.entry(now, path)) ?? null;
    if (!isSame(found, expected) && !isSame(found, after)) conflicts.set(path, { path, expected, found });
  }
  return [...conflicts.values(), ...git.conflicts];
}

/**
 * The state from which a step goes. Where a killed process did a part of the same step already, that from before it: a
 * redo brings back all of it.
 *
 * @param before The state that was replaced.
 */
async function findBegin(snapshots: Snapshots, { changes, left }: Begun, before: TreeId): Promise<TreeId> {
  if (left === undefined || left === before) return before;
  const planned = new Map(changes.map((row) => [row.path, row]));
  const done = await snapshots.changes(left, before);
  const isPart = done.every((row) => {
    const wanted = planned.get(row.path);
    return wanted !== undefined && isSame(row.before, wanted.before) && isSame(row.after, wanted.after);
  });
  return isPart ? left : before;
}

async function carryOut(
  work: Work,
  plan: Begun,
  { kind, by, conflicts: choice = 'refuse', dryRun }: { kind: RestoreRequest['kind'] } & RestoreOptions,
): Promise<Restored> {
  const { turns } = plan;
  const snapshots = await work.snapshots();
  const { refs } = plan.git;
  const git = { changes: plan.git.changes, refs };
  if (dryRun)
    return { done: false, turns, changes: plan.changes, git, conflicts: await findConflicts(snapshots, plan) };
  const known = plan.git.changes.length > 0 ? await findConflicts(snapshots, plan) : plan.foreign;
  if (known.length > 0 && choice === 'refuse') {
    return { done: false, turns, changes: plan.changes, git, conflicts: known };
  }
  // First, because a folder that goes may hold a repository that goes.
  const gitResult = await restoreGit(snapshots, plan.git, choice === 'keep');
  let kept: Conflict[] = choice === 'keep' ? plan.foreign : [];
  let overwrite = new Set(choice === 'overwrite' ? plan.changes.map(({ path }) => path) : []);
  for (;;) {
    const left = new Set(kept.map(({ path }) => path));
    const changes = plan.changes.filter(({ path }) => !left.has(path));
    const result = await snapshots.apply(changes, { overwrite });
    if (result.applied) {
      const from = await findBegin(snapshots, plan, result.before);
      const restored = from === result.before ? result.changes : await snapshots.changes(from, result.after);
      const body: EventBody = {
        type: 'workspace.restored',
        kind,
        turns,
        from,
        to: result.after,
        ...(gitResult.states ? { git: gitResult.states } : {}),
        files: restored.length + gitResult.changes.length,
        kept: [...left, ...gitResult.kept.map(({ path }) => path)],
        by,
      };
      await work.append([body, ...toNote(work, { kind, turns, changes: restored })]);
      const uncovered = snapshots.uncovered(result.before).map(({ path }) => path);
      const done = { changes: gitResult.changes, refs: gitResult.changes.length > 0 ? refs : [] };
      return { done: true, turns, changes: restored, git: done, kept: [...kept, ...gitResult.kept], uncovered };
    }
    const isNew = result.conflicts.some(({ path }) => !left.has(path) && !overwrite.has(path));
    if (choice === 'refuse' || !isNew) {
      await snapshots.applyGit(gitResult.changes.map(reverse));
      return { done: false, turns, changes, git, conflicts: result.conflicts };
    }
    if (choice === 'keep') kept = [...kept, ...result.conflicts];
    else overwrite = new Set([...overwrite, ...result.conflicts.map(({ path }) => path)]);
  }
}

/** Files that the model is told of by name. */
const MAX_NAMED = 20;

/** What the model must know: files are not as it left them. */
function toNote(
  work: Work,
  { kind, turns, changes }: { kind: RestoreRequest['kind']; turns: readonly number[]; changes: readonly TreeChange[] },
): EventBody[] {
  const run = runIdOf(work);
  if (run === '' || changes.length === 0) return [];
  const names = changes.slice(0, MAX_NAMED).map(({ path, kind: change }) => `  ${change} ${path}`);
  if (changes.length > MAX_NAMED) names.push(`  … and ${changes.length - MAX_NAMED} more`);
  const verb = kind === 'undo' ? 'took back' : kind === 'redo' ? 'made again' : 'restored a file to';
  const what = turns.length === 0 ? 'took back what was restored' : `${verb} turn ${turns.join(', ')}`;
  const text = `The user ${what}. Read files again before you rely on them:\n${names.join('\n')}`;
  const id = work.engine.ids.ulid();
  const message = { id, role: 'user' as const, origin: 'engine' as const, parts: [{ type: 'text' as const, text }] };
  return [{ type: 'message.added', run, turn: work.state.turn, message }];
}

function nothing(message: string, hint?: string): KlausError {
  return new KlausError('usage', message, hint === undefined ? {} : { hint });
}

/** What a turn changed, or (`all`, as turn 0) every turn that was not taken back, for showing. @throws KlausError `usage` for a turn without effects. */
export async function changesOfTurn(
  engine: Engine,
  session: string,
  turn: number | 'all' | undefined,
): Promise<{ turn: number; changes: TreeChange[]; snapshots: Snapshots }> {
  const history = readTurnHistory(await readLog(engine.store, session));
  const number = turn === 'all' ? 0 : (turn ?? history.turns.at(-1)?.turn);
  const states =
    turn === 'all'
      ? history.turns.filter(({ isUndone }) => !isUndone)
      : history.turns.filter((candidate) => candidate.turn === number);
  if (number === undefined || (states.length === 0 && turn !== 'all')) {
    const known = [...new Set(history.turns.map((candidate) => candidate.turn))].join(', ');
    throw nothing(
      turn === undefined ? 'No turn of this session changed anything.' : `Turn ${turn} changed nothing.`,
      known === '' ? undefined : `Turns with effects: ${known}.`,
    );
  }
  const snapshots = await openSnapshotsOf(engine, openedOf(await loadState(engine, session)));
  const { changes } = await compose(snapshots, states);
  return { turn: number, changes: changes.map(reverse).toSorted((a, b) => (a.path < b.path ? -1 : 1)), snapshots };
}
