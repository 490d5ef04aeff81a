import { followHost, isProblemError, type StreamState } from '@klaus/server/client';
import type { Answer, ModelView, RouteOf, SessionView } from '@klaus/server/contract';
import { client } from './client.ts';
import { toLink, type Link } from './link.ts';
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
  settings: undefined,
  models: [],
  hasOlder: false,
});

function change(part: Partial<Host>): void {
  host.set({ ...host.get(), ...part });
}

/** Sessions that the server tells of unasked: the latest. */
const SNAPSHOT = 500;
const PAGE = 100;

/** Asks for the sessions before the oldest that is known. */
export async function loadOlder(): Promise<void> {
  const oldest = [...host.get().sessions.values()].reduce((a, b) => (a.updatedAt < b.updatedAt ? a : b));
  const { sessions, next } = await client.sessions({ query: { cursor: oldest.id, limit: PAGE } });
  const all = new Map(host.get().sessions);
  for (const session of sessions) if (!all.has(session.id)) all.set(session.id, session);
  change({ sessions: all, hasOlder: next !== null });
}

let end: AbortController | undefined;

/** Follows the list of sessions. Called again, it begins anew. */
export function openHost(): void {
  end?.abort();
  end = new AbortController();
  change({ isSignedOut: false, link: 'connecting' });
  void followHost(client, {
    signal: end.signal,
    onSnapshot: (sessions) =>
      change({
        sessions: new Map(sessions.map((session) => [session.id, session])),
        isLoading: false,
        hasOlder: sessions.length >= SNAPSHOT,
      }),
    onSession: (session) => change({ sessions: new Map(host.get().sessions).set(session.id, session) }),
    onRemoved(id) {
      const sessions = new Map(host.get().sessions);
      sessions.delete(id);
      change({ sessions });
    },
    onState: (state) => void takeState(state),
  });
}

async function takeState(state: StreamState): Promise<void> {
  change({ link: toLink(state, host.get().link) });
  if (state.state !== 'live' && state.state !== 'ended') return;
  try {
    const [settings, { models }] = await Promise.all([client.settings(), client.models()]);
    change({ settings, models });
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
