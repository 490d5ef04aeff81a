import { isReadOnly, type EventOf } from '../../protocol/index.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import { isReviewed } from '../calls/gate-context.ts';
import { effectsOf } from '../calls/session-tools.ts';
import { findGitRejections } from '../git/guard-git.ts';
import type { Work } from '../loop/work.ts';
import { findPlaceRejections } from '../places/guard-places.ts';
import { openedOf } from '../state/state.ts';

type Result = Pick<EventOf<'tool.finished'>, 'evidence'>;

/**
 * Paths whose changes by a call Klaus will not keep: the guard repairs them when the turn ends. Only after the last call of
 * an answer with effects, because a snapshot is taken then anyway.
 *
 * Content that a command brought from Git is left out: the guard asks about it.
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
  work.scanned.after = { call: call.id, tree };
  const input = { opened: { ...opened, uncovered: opened.uncovered ?? [] }, tree, gitTree };
  const git = await findGitRejections(work, input);
  const places = gitTree === opened.gitTree ? await findPlaceRejections(work, input) : [];
  return [...new Set([...git, ...places])];
}
