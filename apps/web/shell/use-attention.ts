import { headOf } from '@klaus/core/cut-text';
import type { AlertView, AttentionItemView } from '@klaus/server/contract';
import { useEffect, useRef } from 'react';
import { client } from '../state/client.ts';
import { isNotifier } from '../state/notifier.ts';
import { host, nameOf, sessionOf, type Host } from '../state/host.ts';
import { playTone } from '../state/play-tone.ts';
import { preferences } from '../state/preferences.ts';
import { isOwn } from '../state/session-tree.ts';
import { go, route, toSession, type Route } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { toAlertTitle } from '../text/alert-title.ts';
import type { Text } from '../text/en.ts';
import { text, useText } from '../text/text.ts';
import { toStateName } from '../ui/state-mark.tsx';

/** Milliseconds for which a program that shows the session can claim the notification, or mark the session as seen. */
const DELAY_MS = 1_000;

/** Shows the number of waiting sessions in the title, and a notification for what needs the user if it is enabled. */
export function useAttention(): void {
  const t = useText();
  const { sessions, attention, isLoading } = useStore(host);
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const waiting = [...sessions.values()].filter((session) => session.state === 'needs-you' && isOwn(session, sessions));
  const here = useStore(route);
  const place = toPlace(here, useStore(host), t);
  useEffect(() => {
    document.title = [waiting.length > 0 ? `(${waiting.length})` : '', place, t.app.name].filter(Boolean).join(' ');
  }, [waiting.length, place, t]);
  useEffect(() => {
    // The icon of an installed page. Browsers without badges lack the functions.
    if (!('setAppBadge' in navigator)) return;
    const done = waiting.length > 0 ? navigator.setAppBadge(waiting.length) : navigator.clearAppBadge();
    done.catch(() => undefined);
  }, [waiting.length]);
  useEffect(() => {
    if (isLoading) return;
    const before = known.current;
    known.current = new Set([...attention.items, ...attention.alerts].map(({ id }) => id));
    // What needed the user when the page was opened is not reported.
    if (!before) return;
    for (const item of attention.items) if (!before.has(item.id)) void report(item);
    for (const alert of attention.alerts) if (!before.has(alert.id)) void reportAlert(alert);
  }, [attention, isLoading]);
}

/** Characters of the name of a session in the title of the page. */
const MAX_NAME = 80;

/** The page for its title, such as `Fix the parser · Running –`; '' for the home page. */
function toPlace(here: Route, known: Host, t: Text): string {
  if (here.page === 'home') return '';
  if (here.page !== 'session') return `${toPageName(here.page, t)} –`;
  const session = sessionOf(known, here.id);
  if (!session) return '';
  const name = headOf((nameOf(session) ?? t.sessions.untitled).replace(/\s+/g, ' '), MAX_NAME).trim();
  return `${name} · ${toStateName(session, t)} –`;
}

function toPageName(page: Exclude<Route['page'], 'home' | 'session'>, t: Text): string {
  const names = {
    usage: t.usage.title,
    guard: t.attention.guard,
    board: t.attention.board,
    agents: t.app.agents,
    settings: t.app.settings,
    design: t.layout.components,
    unknown: t.app.notFound,
  };
  return names[page];
}

/** One program of the machine notifies. A page that shows the session to the user claims this and stays silent. */
async function report(item: AttentionItemView): Promise<void> {
  const at = route.get();
  if (!document.hidden && document.hasFocus() && at.page === 'session' && at.id === item.session) {
    await claim(item);
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
  const isListed = host.get().attention.items.some(({ id }) => id === item.id);
  const [notifies, sounds] = [canNotify(), canSound()];
  if (!isListed || (!notifies && !sounds) || !(await claim(item))) return;
  if (sounds) playTone();
  if (!notifies) return;
  const session = sessionOf(host.get(), item.session);
  const body = (session && nameOf(session)) ?? item.title ?? text().sessions.untitled;
  const title = { answer: text().notify.question, resume: text().attention.failed, look: text().attention.done };
  const shown = new Notification(title[item.action], { body, tag: item.session });
  shown.addEventListener('click', () => {
    window.focus();
    go(toSession(item.session));
  });
}

/** The guard of Claude Code is off, or a session ran without it. */
async function reportAlert(alert: AlertView): Promise<void> {
  if (!canNotify() || !(await claim(alert))) return;
  const shown = new Notification(toAlertTitle(alert.kind, text()), { body: alert.reason, tag: alert.id });
  shown.addEventListener('click', () => {
    window.focus();
    go({ page: 'guard' });
  });
}

/** In the tab that the user sees, or the one that notifies. */
function canSound(): boolean {
  return preferences.get().sound && (isNotifier() || (!document.hidden && document.hasFocus()));
}

function canNotify(): boolean {
  if (!preferences.get().notify || !isNotifier() || !('Notification' in globalThis)) return false;
  return Notification.permission === 'granted';
}

/** Without an answer of the server, this page does not notify: the connection is lost, and the list is old. */
async function claim({ id }: Pick<AttentionItemView, 'id'>): Promise<boolean> {
  return client.claimNotification({ body: { item: id } }).then(
    ({ claimed }) => claimed,
    () => false,
  );
}
