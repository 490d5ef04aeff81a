import type { AttentionItemView } from '@klaus/server/contract';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { go, route } from '../state/route.ts';
import { endSelection } from '../state/selection.ts';
import { showToast } from '../state/toasts.ts';
import { listsText } from '../text/lists/lists-text.ts';
import { text } from '../text/text.ts';
import { toReason } from '../ui/empty.tsx';

/** Requests that are sent at the same time. */
const AT_ONCE = 6;

/** Milliseconds for which the undo of an archive is offered. */
const UNDO_MS = 8_000;

/** Sends a request for each session. Failures are reported once. @returns The successful ones with their answers. */
async function forEach<T>(ids: readonly string[], work: (id: string) => Promise<T>): Promise<Map<string, T>> {
  const done = new Map<string, T>();
  const errors: unknown[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    await Promise.all(
      ids.slice(at, at + AT_ONCE).map((id) =>
        work(id).then(
          (answer) => void done.set(id, answer),
          (error: unknown) => void errors.push(error),
        ),
      ),
    );
  }
  if (errors.length > 0) {
    const { bulk } = listsText();
    showToast({ kind: 'error', text: bulk.partly(errors.length, ids.length), detail: toReason(errors[0]) });
  }
  return done;
}

export async function pinAll(ids: readonly string[], pinned: boolean): Promise<void> {
  await forEach(ids, (id) => client.changeSession({ params: { id }, body: { pinned } }));
  endSelection();
}

export async function markAllSeen(items: readonly Pick<AttentionItemView, 'session' | 'seq'>[]): Promise<void> {
  const seqs = new Map(items.map(({ session, seq }) => [session, seq]));
  await forEach([...seqs.keys()], (id) => client.markSeen({ params: { id }, body: { seq: seqs.get(id)! } }));
  endSelection();
}

/** Archives sessions, or removes them from the archive, with an undo. What is archived is also seen. */
export async function archiveAll(ids: readonly string[], archived: boolean): Promise<void> {
  const change = (which: readonly string[], to: boolean) =>
    forEach(which, (id) => client.changeSession({ params: { id }, body: { archived: to } }));
  const done = [...(await change(ids, archived)).keys()];
  endSelection();
  if (done.length === 0) return;
  if (archived) {
    for (const { session, seq } of host.get().attention.items) {
      // A failure leaves the session in the list of what needs the user.
      if (seq !== null && done.includes(session))
        client.markSeen({ params: { id: session }, body: { seq } }).catch(() => undefined);
    }
  }
  const { bulk } = listsText();
  showToast({
    kind: 'info',
    text: archived ? bulk.archived(done.length) : bulk.unarchived(done.length),
    lastsMs: UNDO_MS,
    action: { label: text().sessions.undo, run: () => void change(done, !archived) },
  });
}

/** Deletes sessions, with one undo for all. */
export async function deleteAll(ids: readonly string[]): Promise<void> {
  const deleted = await forEach(ids, (id) => client.deleteSession({ params: { id } }));
  endSelection();
  if (deleted.size === 0) return;
  const at = route.get();
  if (at.page === 'session' && deleted.has(at.id)) go({ page: 'home' });
  const undoUntil = Math.min(...[...deleted.values()].map((each) => each.undoUntil));
  showToast({
    kind: 'info',
    text: listsText().bulk.removed(deleted.size),
    lastsMs: Math.max(0, undoUntil - Date.now()),
    isDue: true,
    action: {
      label: text().sessions.undo,
      run: () => void forEach([...deleted.keys()], (id) => client.keepSession({ params: { id } })),
    },
  });
}
