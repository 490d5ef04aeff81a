import { isReadOnly, type EventOf } from '../../protocol/index.ts';
import { findCarried } from '../carried/find-carried.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import { isReviewed } from '../calls/gate-context.ts';
import { effectsOf } from '../calls/session-tools.ts';
import { findGitRejections } from '../git/guard-git.ts';
import type { Work } from '../loop/work.ts';
import { findReverted, findTurnPlaces } from '../places/guard-places.ts';
import { openedOf, runOf } from '../state/state.ts';

type Result = Pick<EventOf<'tool.finished'>, 'evidence'>;

/**
 * Paths whose changes by a call Klaus will not keep: the guard repairs them when the turn ends. Only after the last call of
 * an answer with effects, because a snapshot is taken then anyway.
 * What the guard asks the user about is left out.
 */
export async function findRejected(work: Work, { call, tool }: ReadyCall, { evidence }: Result): Promise<string[]> {
  const { state } = work;
  const { openSnapshot: opened } = state;
  const runsPrograms = tool.resume === 'tell' || tool.effects.includes('execute');
  if (!opened || !runsPrograms || isReviewed(work, tool, call.by) || openedOf(state).snapshots === false) return [];
  const isLast = state.calls.every(
    ({ id, name, finished }) => id === call.id || finished || isReadOnly(effectsOf(work, name) ?? ['execute']),
  );
  if (!isLast) return [];
  const snapshots = await work.snapshots();
  const tree = evidence?.left ?? evidence?.tree ?? (await snapshots.snapshot());
  const gitTree = await snapshots.snapshotGit(tree);
  const input = { opened: { ...opened, uncovered: opened.uncovered ?? [] }, tree, gitTree };
  work.scanned.after = { call: call.id, tree, gitTree };
  const git = await findGitRejections(work, input);
  const rows = await findTurnPlaces(work, { opened: input.opened, after: tree });
  const carried = await findCarried(work, { ...input, rows });
  work.scanned.after = { call: call.id, tree, gitTree, carried };
  // The user may keep it.
  if (carried.holders.length > 0 && runOf(state).onAsk === 'wait') return git;
  const names = carried.paths.length > 0 ? carried.paths : [...carried.unflagged, ...carried.holders];
  const brought = carried.repairs.length > 0 ? names : [];
  const { left } = await findReverted(work, { opened: input.opened, after: tree, rows, found: carried.found });
  return [...new Set([...git, ...left.map(({ path }) => path), ...brought])];
}
