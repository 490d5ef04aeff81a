import { useEffect, useRef } from 'react';
import { isNotifier } from '../state/notifier.ts';
import { host, nameOf } from '../state/host.ts';
import { preferences } from '../state/preferences.ts';
import { isOwn } from '../state/session-tree.ts';
import { go, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { text, useText } from '../text/text.ts';

/** Shows the number of waiting sessions in the title, and a notification for each new one if the user enabled them. */
export function useAttention(): void {
  const t = useText();
  const { sessions, isLoading } = useStore(host);
  const { notify } = useStore(preferences);
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const waiting = [...sessions.values()].filter((session) => session.state === 'needs-you' && isOwn(session, sessions));
  useEffect(() => {
    document.title = waiting.length > 0 ? t.app.titleWaiting(waiting.length) : t.app.name;
  }, [waiting.length, t]);
  useEffect(() => {
    if (isLoading) return;
    const before = known.current;
    known.current = new Set(waiting.map(({ id }) => id));
    // Sessions that were waiting when the page was opened are not reported.
    if (!before || !notify || !isNotifier() || !('Notification' in globalThis)) return;
    if (Notification.permission !== 'granted') return;
    for (const session of waiting) {
      if (before.has(session.id)) continue;
      const body = nameOf(session) ?? text().sessions.untitled;
      const shown = new Notification(text().notify.question, { body, tag: session.id });
      shown.addEventListener('click', () => {
        window.focus();
        go(toSession(session.id));
      });
    }
  }, [sessions, isLoading, notify]);
}
