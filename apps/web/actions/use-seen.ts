import { useEffect } from 'react';
import type { SessionState } from '../log/session-log.ts';
import { hasAccess } from '../state/access.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { visibility } from '../state/visibility.ts';
import { client } from '../state/client.ts';

/** Records that the user has seen the end of a run, while the page shows the session and the user sees the page. */
export function useSeen(session: string, { conversation, isComplete }: SessionState): void {
  const { attention, link } = useStore(host);
  const isVisible = useStore(visibility) === 'visible';
  const unseen = attention.items.find((item) => item.session === session && item.seq !== null)?.seq ?? 0;
  const isShown = isComplete && unseen > 0 && conversation.seq >= unseen;
  useEffect(() => {
    if (!isShown || !isVisible || link !== 'online' || !hasAccess('operator')) return;
    // After a failure, the session remains in the list.
    client.markSeen({ params: { id: session }, body: { seq: unseen } }).catch(() => {});
  }, [session, unseen, isShown, isVisible, link]);
}
