import {
  KlausError,
  optional,
  type OtherChange,
  type TreeChange,
  type TreeEntry,
  type TreeId,
} from '../../protocol/index.ts';
import { NO_GIT, planGitRedo, planGitUndo, type GitPlan } from '../git/plan-git.ts';
import type { Conflict, Snapshots } from '../ports/snapshots.ts';
import { compose, type ComposedTurn } from './compose-turns.ts';
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
  /** Changes of which it is unclear whether the session made them, and the plan that includes them. */
  unclear: TreeChange[];
  all: Pick<RestorePlan, 'changes' | 'foreign'>;
  /** What others changed in these turns, or may have changed. */
  others: readonly OtherChange[];
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
  const refs = new Set<string>();
  for (let at = active.length; at > 0;) {
    const same = toStep(active.slice(0, at), step);
    const plan = await composeTurns(snapshots, same, all);
    const isEmpty = plan.changes.length + plan.unclear.length + plan.foreign.length + plan.git.changes.length === 0;
    if (!isEmpty) return plan;
    for (const { repository, name } of plan.git.left) refs.add(repository === '' ? name : `${repository}: ${name}`);
    at = active.indexOf(same[0]!);
  }
  const git = [...refs].slice(0, MAX_REFS).join(', ');
  throw nothing('This session has no change of files that can be undone.', {
    hint: git === '' ? undefined : `Git refs were changed: ${git}. \`klaus undo --git\` restores them.`,
  });
}

/** Refs that an error names. */
const MAX_REFS = 10;

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
  const open = turns.filter(({ isUndone }) => !isUndone);
  const own = await compose(snapshots, open);
  const isUnclear = open.some(({ unclear }) => unclear !== undefined);
  const mixed = isUnclear ? await compose(snapshots, open.map(withUnclear)) : own;
  const git = await planGitUndo(snapshots, turns, all);
  return {
    turns: [...new Set(turns.map(({ turn }) => turn))],
    ...own,
    git,
    unclear: findUnclear(own.changes, mixed.changes),
    all: mixed,
    others: open.flatMap(({ others }) => others),
  };
}

function withUnclear({ before, after, own, unclear }: TurnStates): ComposedTurn {
  return { before, ...optional({ after, own: unclear ?? own }) };
}

/**
 * The changes that only the plan with the unclear ones has. A path that this plan leaves as it is, and the other one restores,
 * is one of them: the session removed a file of which it is unclear who created it.
 */
function findUnclear(own: readonly TreeChange[], mixed: readonly TreeChange[]): TreeChange[] {
  const known = new Map(own.map((row) => [row.path, row]));
  const all = new Set(mixed.map(({ path }) => path));
  const left = own
    .filter(({ path }) => !all.has(path))
    .map(({ path, before }): TreeChange => ({ path, kind: 'modified', before, after: before }));
  const different = mixed.filter(({ path, before, after }) => {
    const row = known.get(path);
    return !row || !isSame(row.before, before) || !isSame(row.after, after);
  });
  return [...different, ...left];
}

/** A plan whose changes are all those of the session. */
function toPlainPlan(plan: Pick<RestorePlan, 'turns' | 'changes' | 'foreign' | 'git'>): RestorePlan {
  return { ...plan, unclear: [], all: plan, others: [] };
}

async function planRedo({ snapshots, history }: Planning): Promise<RestorePlan> {
  const last = history.redoable.at(-1);
  if (!last) throw nothing('There is no undo to redo.');
  const { kind, turns, from, to } = last.event;
  const changes = await snapshots.changes(to, from);
  const git = await planGitRedo(snapshots, last.event.git);
  return toPlainPlan({ turns: kind === 'undo' ? turns : [], changes, foreign: [], git });
}

/** The last entry that the session wrote at each path. */
async function findLeft(snapshots: Snapshots, { steps }: TurnHistory): Promise<Map<string, TreeEntry | null>> {
  const left = new Map<string, TreeEntry | null>();
  for (const { from, to, own } of steps) {
    const rows = await snapshots.changes(from, own ?? to ?? (await snapshots.snapshot()));
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
  return toPlainPlan({ turns: [turn], changes, foreign, git: NO_GIT });
}

function nothing(message: string, { hint }: { hint?: string | undefined } = {}): KlausError {
  return new KlausError('undo.nothing', message, { hint });
}
