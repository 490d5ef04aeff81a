import type { RestoredView, SessionView } from '@klaus/server/contract';
import { client } from '../state/client.ts';
import { host, nameOf } from '../state/host.ts';
import { go, route, toSession } from '../state/route.ts';
import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';
import { attempt } from './attempt.ts';

type Session = Pick<SessionView, 'id' | 'title' | 'firstPrompt' | 'pinned'>;

function toName(session: Session): string {
  return nameOf(session) ?? text().sessions.untitled;
}

export async function pinSession({ id, pinned }: Session): Promise<void> {
  await attempt(() => client.changeSession({ params: { id }, body: { pinned: !pinned } }));
}

export async function renameSession(id: string, title: string): Promise<void> {
  await attempt(() => client.changeSession({ params: { id }, body: { title } }));
}

/** Deletes a session; while the server still holds it, that can be taken back. */
export async function deleteSession(session: Session): Promise<void> {
  const deleted = await attempt(() => client.deleteSession({ params: { id: session.id } }));
  if (!deleted) return;
  const at = route.get();
  if (at.page === 'session' && at.id === session.id) go({ page: 'home' });
  const { id } = session;
  showToast({
    kind: 'info',
    text: text().sessions.removed(toName(session)),
    lastsMs: Math.max(0, deleted.undoUntil - Date.now()),
    action: { label: text().sessions.undo, run: () => void attempt(() => client.keepSession({ params: { id } })) },
  });
}

/** Hands a whole session to the person as a file. */
export async function exportSession(session: Session, format: 'md' | 'json'): Promise<void> {
  const document_ = await attempt(() => client.exportSession({ params: { id: session.id }, query: { format } }));
  if (document_ === undefined) return;
  const type = format === 'md' ? 'text/markdown' : 'application/json';
  const url = URL.createObjectURL(new Blob([document_], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `klaus-${session.id}.${format}`;
  link.click();
  URL.revokeObjectURL(url);
}

export async function resumeSession(id: string, limits: Record<string, number> = {}): Promise<void> {
  await attempt(() => client.resume({ params: { id }, body: Object.keys(limits).length > 0 ? { limits } : {} }));
}

/** Tries the last prompt again in a fork, and goes there. */
export async function retrySession(id: string): Promise<void> {
  const forked = await attempt(() => client.retry({ params: { id }, body: {} }));
  if (forked) go(toSession(forked.session));
}

/** Begins a fork at the end of a session, and goes there. */
export async function forkSession(id: string): Promise<void> {
  const forked = await attempt(() => client.fork({ params: { id }, body: {} }));
  if (forked) go(toSession(forked.session));
}

export async function redoTurn(id: string): Promise<void> {
  const restored = await attempt(() => client.redo({ params: { id }, body: {} }));
  if (restored) sayRestored(restored);
}

/** Says what an undo or a redo came to. */
export function sayRestored({ done, changes, conflicts }: RestoredView): void {
  const t = text();
  if (!done && conflicts.length > 0) {
    const detail = conflicts.map(({ path }) => path).join(', ');
    showToast({ kind: 'error', text: t.conversation.undoConflicts, detail });
    return;
  }
  const paths = done ? changes.length : 0;
  const words = paths === 0 ? t.conversation.undoNothing : t.conversation.undoneToast(paths);
  showToast({ kind: 'info', text: words, lastsMs: 4_000 });
}

/** The session that the page shows, as the list knows it. */
export function currentSession(): SessionView | undefined {
  const at = route.get();
  return at.page === 'session' ? host.get().sessions.get(at.id) : undefined;
}
