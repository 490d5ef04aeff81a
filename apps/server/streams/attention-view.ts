import { headOf } from '@klaus/sdk/cut-text';
import { readGuardStates, toGuardAlerts } from '@klaus/sdk/guard-log';
import { EVERY_FOLDER, type SeenFolders } from '../access/seen-folders.ts';
import type { AttentionItemView, AttentionListView } from '../contract/index.ts';
import { toProblem, toSentence } from '../http/problem.ts';
import { toFirstPrompt, toSessionViews, type ViewSources } from './session-view.ts';

export interface AttentionSources extends ViewSources {
  /** Until when the delete of a session can be undone, in Unix milliseconds; undefined without one. */
  undoUntil: (session: string) => number | undefined;
}

/** Items that are read for a person who may see only some projects. */
const MAX_ITEMS = 10_000;

export interface AttentionOptions {
  /** Whose list it is. Default: one who may see everything. */
  seen?: SeenFolders;
  /** Most items of sessions. Default 200. */
  limit?: number;
}

/** The sessions that need the user, with those that this server cannot run, and without those that it will run. */
export function toAttention(
  sources: AttentionSources,
  { seen = EVERY_FOLDER, limit = 200 }: AttentionOptions = {},
): AttentionListView {
  if (!seen.isComplete) return toSeenAttention(sources, seen, limit);
  const { klaus, queue, undoUntil } = sources;
  const { items, counts } = klaus.store.view.attention({ limit });
  const blocked = toBlocked(sources);
  const isBlocked = new Set(blocked.map(({ session }) => session));
  const shown = items.filter(({ kind, session }) => {
    if (undoUntil(session) !== undefined) return false;
    return kind !== 'interrupted' || !(isBlocked.has(session) || queue.positionOf(session) || queue.isRunning(session));
  });
  const isRemoved = items.length - shown.length;
  const all = [...shown, ...blocked].toSorted((a, b) => (a.since < b.since ? -1 : 1));
  const alerts = toGuardAlerts(readGuardStates(klaus.store.view));
  return { alerts, items: all, counts: { ...counts, failed: Math.max(0, counts.failed - isRemoved) + blocked.length } };
}

/** The items of the folders alone, counted by themselves. Reports of the guard of Claude Code are about all projects. */
function toSeenAttention(sources: AttentionSources, { sees }: SeenFolders, limit: number): AttentionListView {
  const all = toAttention(sources, { limit: MAX_ITEMS }).items.filter(({ workspace }) => sees(workspace));
  const count = (...actions: AttentionItemView['action'][]): number =>
    all.filter(({ action }) => actions.includes(action)).length;
  const order = ['answer', 'resume', 'look'];
  const kept = new Set(all.toSorted((a, b) => order.indexOf(a.action) - order.indexOf(b.action)).slice(0, limit));
  return {
    alerts: [],
    items: all.filter((item) => kept.has(item)),
    counts: { answer: count('answer'), failed: count('resume'), done: count('look') },
  };
}

function toBlocked(sources: AttentionSources): AttentionListView['items'] {
  const { klaus, queue, undoUntil } = sources;
  return queue.blocked.flatMap((id) => {
    const row = klaus.store.view.session(id);
    if (!row || undoUntil(id) !== undefined || toSessionViews(sources, [row])[0]!.questions > 0) return [];
    return {
      id: `${id}:${row.lastSeq}:blocked`,
      kind: 'blocked' as const,
      session: id,
      child: null,
      title: row.title ?? toFirstPrompt(sources, row),
      workspace: row.workspace,
      project: row.project,
      agent: row.agentType,
      seq: null,
      since: row.updatedAt,
      line: headOf(toSentence(toProblem(queue.problemOf(id))), 200),
      action: 'resume' as const,
    };
  });
}
