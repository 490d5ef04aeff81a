import type { AttentionItemView, QueuedMessage, RestoredView, SessionView } from '@klaus/server/contract';
import { client } from '../state/client.ts';
import { host, nameOf, sessionOf } from '../state/host.ts';
import { go, route, toSession } from '../state/route.ts';
import { preferences } from '../state/preferences.ts';
import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';
import { isChangedByLast, isLastFailed } from '../log/last-run.ts';
import { returnToDraft } from '../composer/drafts.ts';
import { attempt } from './attempt.ts';
import { copyText } from './copy-text.ts';
import { saveText } from './save-text.ts';
import { signal } from './signal.ts';

type Session = Pick<SessionView, 'id' | 'title' | 'firstPrompt' | 'pinned' | 'archived'>;

/** Records that the user has seen what is in the list of what needs the user. */
export async function markSeen({ session, seq }: Pick<AttentionItemView, 'session' | 'seq'>): Promise<void> {
  if (seq !== null) await attempt(() => client.markSeen({ params: { id: session }, body: { seq } }));
}

export async function pinSession({ id, pinned }: Session): Promise<void> {
  await attempt(() => client.changeSession({ params: { id }, body: { pinned: !pinned } }));
}

/** Milliseconds for which the undo of an archive is offered. */
const UNDO_MS = 8_000;

/** Archives a session, which is then also seen, or removes it from the archive. */
export async function archiveSession(session: Session): Promise<void> {
  const { id, archived = false } = session;
  const change = (to: boolean) => attempt(() => client.changeSession({ params: { id }, body: { archived: to } }));
  if (!(await change(!archived)) || archived) return;
  const unseen = host.get().attention.items.find((item) => item.session === id && item.seq !== null);
  if (unseen) await markSeen(unseen);
  showToast({
    kind: 'info',
    text: text().lists.archivedToast(nameOf(session) ?? text().sessions.untitled),
    lastsMs: UNDO_MS,
    action: { label: text().sessions.undo, run: () => void change(false) },
  });
}

export async function renameSession(id: string, title: string): Promise<void> {
  await attempt(() => client.changeSession({ params: { id }, body: { title } }));
}

/** Deletes a session. The notification offers an undo for as long as the server keeps the session. */
export async function deleteSession(session: Session): Promise<void> {
  const deleted = await attempt(() => client.deleteSession({ params: { id: session.id } }));
  if (!deleted) return;
  const at = route.get();
  if (at.page === 'session' && at.id === session.id) go({ page: 'home' });
  const { id } = session;
  showToast({
    kind: 'info',
    text: text().sessions.removed(nameOf(session) ?? text().sessions.untitled),
    lastsMs: Math.max(0, deleted.undoUntil - Date.now()),
    isDue: true,
    action: { label: text().sessions.undo, run: () => void attempt(() => client.keepSession({ params: { id } })) },
  });
}

const EXPORT_TYPES = { md: 'text/markdown', json: 'application/json', html: 'text/html' } as const;

export type ExportFormat = keyof typeof EXPORT_TYPES;

export async function exportSession(session: Session, format: ExportFormat): Promise<void> {
  const document_ = await attempt(() =>
    client.exportSession({ params: { id: session.id }, query: { format, language: preferences.get().language } }),
  );
  if (document_ === undefined) return;
  const name = `klaus-${session.id}.${format}`;
  saveText(document_, { name, type: EXPORT_TYPES[format] });
  const words = text().sessions;
  showToast({
    kind: 'info',
    text: words.saved(name),
    detail: format === 'html' ? words.savedFile : undefined,
    lastsMs: 10_000,
  });
}

/** Copies a complete session as Markdown. */
export async function copySession({ id }: Session): Promise<void> {
  const document_ = await attempt(() => client.exportSession({ params: { id }, query: { format: 'md' } }));
  if (document_ !== undefined) await copyText(document_);
}

export async function resumeSession(id: string, limits: Record<string, number> = {}): Promise<void> {
  await attempt(() => client.resume({ params: { id }, body: Object.keys(limits).length > 0 ? { limits } : {} }));
}

/** Resumes a session that could not run. If it cannot run again, the server reports the same problem. */
export async function requeueSession(id: string): Promise<void> {
  if (await attempt(() => client.resume({ params: { id }, body: {} })))
    showToast({ kind: 'info', text: text().conversation.queuedAgain, lastsMs: 4_000 });
}

export async function compactSession(id: string): Promise<void> {
  await attempt(() => client.compact({ params: { id }, body: {} }));
}

/**
 * Retries the last run. A run that failed before it changed a file is resumed; any other run is repeated in a fork, and
 * a notification links back to the original session.
 */
export async function retrySession(id: string, hasChanged = isChangedByLast(id)): Promise<void> {
  // The list of sessions receives the end of a run later than the stream of the session.
  const isBroken = isLastFailed(id) || ['failed', 'interrupted'].includes(sessionOf(host.get(), id)?.state ?? '');
  if (isBroken && !hasChanged) {
    await resumeSession(id);
    return;
  }
  const forked = await attempt(() => client.retry({ params: { id }, body: {} }));
  if (!forked) return;
  go(toSession(forked.session));
  showToast({
    kind: 'info',
    text: text().conversation.retriedInFork,
    detail: hasChanged ? text().conversation.retriedFiles : undefined,
    lastsMs: 8_000,
    action: { label: text().conversation.toOriginal, run: () => go(toSession(id)) },
  });
}

export async function withdrawMessage(id: string, command: string): Promise<boolean> {
  return (await attempt(() => client.withdraw({ params: { id, command } }))) !== undefined;
}

/** Withdraws a queued message and puts it into the message field. */
export async function editQueued(id: string, { command, parts }: QueuedMessage): Promise<void> {
  if (!(await withdrawMessage(id, command))) return;
  returnToDraft(id, parts);
  signal('focus-message');
}

/** Runs the checks of the last run again. The conversation shows the results. */
export async function verifySession(id: string): Promise<void> {
  const close = showToast({ kind: 'info', text: text().conversation.verifying });
  const verified = await attempt(() => client.verify({ params: { id }, body: {} }));
  close();
  if (verified?.checks.some(({ result }) => result === 'denied' || result === 'skipped')) {
    const reasons = verified.checks.flatMap(({ reason }) => reason ?? []);
    showToast({ kind: 'info', text: text().conversation.verifiedPartly, detail: reasons.join(' '), lastsMs: 10_000 });
  }
}

/** Forks a session at its end and opens the fork. */
export async function forkSession(id: string): Promise<void> {
  const forked = await attempt(() => client.fork({ params: { id }, body: {} }));
  if (forked) go(toSession(forked.session));
}

export async function redoTurn(id: string): Promise<void> {
  const restored = await attempt(() => client.redo({ params: { id }, body: {} }));
  if (restored) showRestored(restored);
}

export function showRestored({ done, changes, conflicts, notRestored }: RestoredView): void {
  const t = text();
  if (!done && conflicts.length > 0) {
    const detail = conflicts.map(({ path }) => path).join(', ');
    showToast({ kind: 'error', text: t.conversation.undoConflicts, detail });
    return;
  }
  const paths = done ? changes.length : 0;
  const words = paths + notRestored.length === 0 ? t.conversation.undoNothing : t.conversation.undoneToast(paths);
  if (notRestored.length === 0) return void showToast({ kind: 'info', text: words, lastsMs: 4_000 });
  const { undoNotRestored, undoRebuild } = t.conversation;
  const names = notRestored.map(({ path, command }) => (command === null ? path : `${path} (${undoRebuild(command)})`));
  showToast({ kind: 'info', text: words, detail: `${undoNotRestored} ${names.join(', ')}`, lastsMs: 10_000 });
}

export function currentSession(): SessionView | undefined {
  const at = route.get();
  return at.page === 'session' ? sessionOf(host.get(), at.id) : undefined;
}
