import { isProblemError, type StreamState } from '@klaus/server/client';
import type { Answer, ModelView, RouteOf, SessionView } from '@klaus/server/contract';
import { client } from './client.ts';
import { toLink, type Link } from './link.ts';
import { followList } from './list-stream.ts';
import { createStore } from './store.ts';

export type ServerSettings = Answer<RouteOf<'settings'>>;

/** All sessions as the server lists them, and how the connection stands. */
export interface Host {
  link: Link;
  /** True until the first list has come. */
  isLoading: boolean;
  /** The server wants its token. */
  isSignedOut: boolean;
  sessions: ReadonlyMap<string, SessionView>;
  /** The session that was opened by its address, where it is older than what the list has. */
  visited: SessionView | undefined;
  settings: ServerSettings | undefined;
  models: readonly ModelView[];
  /** There are older sessions than those that came unasked. */
  hasOlder: boolean;
}

export const host = createStore<Host>({
  link: 'connecting',
  isLoading: true,
  isSignedOut: false,
  sessions: new Map(),
  visited: undefined,
  settings: undefined,
  models: [],
  hasOlder: false,
});

function change(part: Partial<Host>): void {
  host.set({ ...host.get(), ...part });
}

/** A session as far as the page knows it. */
export function sessionOf(
  { sessions, visited }: Pick<Host, 'sessions' | 'visited'>,
  id: string,
): SessionView | undefined {
  return sessions.get(id) ?? (visited?.id === id ? visited : undefined);
}

/** Asks for a session that is not in the list; whatever happens to it from then on the list is told. */
export async function visit(id: string): Promise<void> {
  try {
    change({ visited: await client.session({ params: { id } }) });
  } catch {
    // Its own stream says why there is none.
  }
}

/** Sessions that the server tells of unasked: the latest. */
const SNAPSHOT = 500;
/** Sessions that are asked for at once. */
const PAGE = 100;

/** Asks for the sessions before the oldest that is known. */
export async function loadOlder(): Promise<void> {
  const oldest = toOldest(host.get().sessions.values());
  if (!oldest) return;
  const { sessions, next } = await client.sessions({ query: { cursor: oldest.id, limit: PAGE } });
  const all = new Map(host.get().sessions);
  for (const session of sessions) if (!all.has(session.id)) all.set(session.id, session);
  change({ sessions: all, hasOlder: next !== null });
}

function toOldest(sessions: Iterable<SessionView>): SessionView | undefined {
  return [...sessions].reduce<SessionView | undefined>((a, b) => (a && a.updatedAt < b.updatedAt ? a : b), undefined);
}

/** Takes the latest sessions in. Older ones that were asked for stay, and are asked for again: they may have changed. */
function takeSnapshot(latest: readonly SessionView[]): void {
  const { sessions: before, isLoading, hasOlder } = host.get();
  const sessions = new Map(latest.map((session) => [session.id, session]));
  const end = latest.length < SNAPSHOT ? undefined : toOldest(latest);
  const older = [...before.values()].filter(
    ({ id, updatedAt }) => end && updatedAt < end.updatedAt && !sessions.has(id),
  );
  for (const session of older) sessions.set(session.id, session);
  change({ sessions, isLoading: false, hasOlder: end !== undefined && (older.length === 0 || hasOlder) });
  const last = toOldest(older);
  if (!isLoading && end && last) void renewOlder(end, last).catch(() => undefined);
}

/** Asks again for what is older than `from`, as far as `to`. What is not there any more goes. */
async function renewOlder(from: SessionView, to: SessionView): Promise<void> {
  const found = new Map<string, SessionView>();
  for (let cursor: string | null = from.id; cursor !== null;) {
    const { sessions, next }: { sessions: SessionView[]; next: string | null } = await client.sessions({
      query: { cursor, limit: PAGE },
    });
    for (const session of sessions) found.set(session.id, session);
    cursor = sessions.some(({ updatedAt }) => updatedAt <= to.updatedAt) ? null : next;
  }
  const isOlder = ({ updatedAt }: SessionView) => updatedAt < from.updatedAt;
  const kept = [...host.get().sessions].filter(([id, session]) => !isOlder(session) || found.has(id));
  change({ sessions: new Map([...kept, ...found].map(([id, session]) => [id, newest(session, found.get(id))])) });
}

function newest(a: SessionView, b: SessionView | undefined): SessionView {
  return b && b.updatedAt >= a.updatedAt ? b : a;
}

/** What was told and is not shown yet: undefined for a session that was removed. */
const pending = new Map<string, SessionView | undefined>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Milliseconds in which changes are collected: to draw the list once for each of hundreds takes seconds. */
const COLLECT_MS = 16;

function queueChange(id: string, session: SessionView | undefined): void {
  pending.set(id, session);
  // By a clock and not by the next picture: a hidden tab draws none, and its title must be right.
  timer ??= setTimeout(flushChanges, COLLECT_MS);
}

function flushChanges(): void {
  clearTimeout(timer);
  timer = undefined;
  if (pending.size === 0) return;
  const sessions = new Map(host.get().sessions);
  for (const [id, session] of pending) {
    if (session) sessions.set(id, session);
    else sessions.delete(id);
  }
  pending.clear();
  change({ sessions });
}

let end: AbortController | undefined;

/** Follows the list of sessions. Called again, it begins anew. */
export function openHost(): void {
  end?.abort();
  end = new AbortController();
  change({ isSignedOut: false, link: 'connecting' });
  followList({
    signal: end.signal,
    known() {
      flushChanges();
      return host.get().isLoading ? undefined : [...host.get().sessions.values()];
    },
    onSnapshot(sessions) {
      flushChanges();
      takeSnapshot(sessions);
    },
    onSession: (session) => queueChange(session.id, session),
    onRemoved: (id) => queueChange(id, undefined),
    onState: (state) => void takeState(state),
  });
}

async function takeState(state: StreamState): Promise<void> {
  change({ link: toLink(state, host.get().link) });
  if (state.state !== 'live' && state.state !== 'ended') return;
  // Of many tabs, those that nobody sees ask when they are shown: that makes the stream theirs, and says this again.
  if (document.hidden && state.state === 'live' && host.get().settings && !host.get().isSignedOut) return;
  try {
    const [settings, { models }] = await Promise.all([client.settings(), client.models()]);
    change({ settings, models, isSignedOut: false });
  } catch (error) {
    const isSignedOut = isProblemError(error) && [401, 403].includes(error.problem.status);
    if (isSignedOut) change({ isSignedOut, isLoading: false });
  }
}

/** States in the order in which a person should look at them. */
const URGENCY: Record<SessionView['state'], number> = {
  'needs-you': 0,
  interrupted: 1,
  running: 2,
  queued: 3,
  failed: 4,
  done: 4,
  idle: 4,
};

/** Groups of the list: what waits for a human, the longest first; what is pinned and the rest, the latest first. */
export function groupSessions(sessions: Iterable<SessionView>): {
  waiting: SessionView[];
  pinned: SessionView[];
  others: SessionView[];
} {
  const all = [...sessions].toSorted(
    (a, b) =>
      URGENCY[a.state] - URGENCY[b.state] || (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0),
  );
  return {
    // Who has waited longest is answered first.
    waiting: all
      .filter(({ state }) => state === 'needs-you')
      .toSorted((a, b) => (a.askedAt ?? '').localeCompare(b.askedAt ?? '')),
    pinned: all.filter(({ state, pinned }) => pinned && state !== 'needs-you'),
    others: all.filter(({ state, pinned }) => !pinned && state !== 'needs-you'),
  };
}

/** What a session is called; undefined when nobody has said anything yet. */
export function nameOf({ title, firstPrompt }: Pick<SessionView, 'title' | 'firstPrompt'>): string | undefined {
  return title ?? firstPrompt ?? undefined;
}
