import { KlausError, type TreeChange, type TreeEntry, type TreeId } from '../../protocol/index.ts';
import { NO_GIT, planGitRedo, planGitUndo, type GitPlan } from '../git/plan-git.ts';
import type { Conflict, Snapshots } from '../ports/snapshots.ts';
import { compose } from './compose-turns.ts';
import { isSame } from './tree-row.ts';
import type { TurnHistory, TurnStates } from './turn-history.ts';

/** What to restore. */
export type RestoreRequest =
  /** The changes of the last prompt, or of all turns from `turn` on. */
  | {
      kind: 'undo';
      turn?: number;
      /** Only the last turn that changed something. Default false. */
      step?: boolean;
      /** Also git's own data: HEAD, refs, index, stash and reflogs of the top and nested repositories. Default false. */
      git?: boolean;
    }
  /** The state before the last undo or restored file. */
  | { kind: 'redo' }
  /** One file or folder as it was before a turn began, or after it ended. */
  | {
      kind: 'file';
      path: string;
      turn: number;
      side?: 'before' | 'after';
      /** The session that `turn` belongs to, such as the original of a fork. Default: the session itself. */
      of?: string;
    };

export interface RestorePlan {
  turns: number[];
  changes: TreeChange[];
  git: GitPlan;
  /** Files that another program changed after the session. */
  foreign: Conflict[];
}

interface Planning {
  snapshots: Snapshots;
  history: TurnHistory;
}

export async function planRestore(planning: Planning, request: RestoreRequest): Promise<RestorePlan> {
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
): Promise<RestorePlan> {
  // With git's data, also turns of which an undo has left it.
  const active = history.turns.filter(({ isUndone, isGitUndone }) => !isUndone || (all && !isGitUndone));
  if (turn !== undefined) {
    const chosen = active.filter((candidate) => candidate.turn >= turn);
    if (chosen.length === 0) throw nothing(`No change of turn ${turn} or later is left to undo.`);
    return await composeTurns(snapshots, chosen, all);
  }
  // Turns that changed no file are skipped.
  for (let at = active.length; at > 0;) {
    const same = toStep(active.slice(0, at), step);
    const plan = await composeTurns(snapshots, same, all);
    if (plan.changes.length > 0 || plan.foreign.length > 0 || plan.git.changes.length > 0) return plan;
    at = active.indexOf(same[0]!);
  }
  throw nothing('This session has no change that can be undone.');
}

/** The last turns that one undo reverts: of one prompt, or all whose files are undone already. */
function toStep(active: readonly TurnStates[], step: boolean): TurnStates[] {
  const last = active.at(-1)!;
  const isSame = (one: TurnStates): boolean => {
    if (step) return one.turn === last.turn;
    return last.isUndone ? one.isUndone : !one.isUndone && one.prompt === last.prompt;
  };
  return active.slice(active.findLastIndex((one) => !isSame(one)) + 1);
}

/** One step that undoes several turns: their files, unless they are undone already, and git's data. */
async function composeTurns(snapshots: Snapshots, turns: readonly TurnStates[], all: boolean): Promise<RestorePlan> {
  const { changes, foreign } = await compose(
    snapshots,
    turns.filter(({ isUndone }) => !isUndone),
  );
  const git = await planGitUndo(snapshots, turns, all);
  return { turns: [...new Set(turns.map(({ turn }) => turn))], changes, foreign, git };
}

async function planRedo({ snapshots, history }: Planning): Promise<RestorePlan> {
  const last = history.redoable.at(-1);
  if (!last) throw nothing('There is no undo to redo.');
  const { kind, turns, from, to } = last.event;
  const changes = await snapshots.changes(to, from);
  return {
    turns: kind === 'undo' ? turns : [],
    changes,
    foreign: [],
    git: await planGitRedo(snapshots, last.event.git),
  };
}

/** The last entry that the session wrote at each path. */
async function findLeft(snapshots: Snapshots, { steps }: TurnHistory): Promise<Map<string, TreeEntry | null>> {
  const left = new Map<string, TreeEntry | null>();
  for (const { from, to } of steps) {
    const rows = await snapshots.changes(from, to ?? (await snapshots.snapshot()));
    for (const { path, after } of rows) left.set(path, after);
  }
  return left;
}

/** A path as snapshots name it: absolute outside the workspace; '' is the workspace. */
function toPlain(path: string): string {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return `${path.startsWith('/') ? '/' : ''}${names.join('/')}`;
}

async function planFile(
  { snapshots, history }: Planning,
  { path: given, turn, side = 'before' }: Extract<RestoreRequest, { kind: 'file' }>,
): Promise<RestorePlan> {
  const path = toPlain(given);
  const found = history.turns.filter((candidate) => candidate.turn === turn);
  const tree: TreeId | undefined = side === 'before' ? found[0]?.before : found.at(-1)?.after;
  if (tree === undefined) {
    const known = [...new Set(history.turns.map((candidate) => candidate.turn))].join(', ');
    if (known === '') throw nothing('No turn of this session changed anything.');
    throw new KlausError('usage', `There is no state ${side} turn ${turn}.`, { hint: `Turns: ${known}.` });
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
    throw new KlausError('usage', `There is no ${path} ${side} turn ${turn}.`);
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

function nothing(message: string): KlausError {
  return new KlausError('undo.nothing', message);
}
