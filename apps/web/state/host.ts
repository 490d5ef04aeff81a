import type { Mode } from '@klaus/core/protocol';
import { isProblemError, type StreamState } from '@klaus/server/client';
import type {
  Answer,
  AttentionItemView,
  AttentionListView,
  ModelView,
  RouteOf,
  SessionView,
} from '@klaus/server/contract';
import { access } from './access.ts';
import { client } from './client.ts';
import type { LastState } from './last-state.ts';
import { toLink, type Link } from './link.ts';
import { followList } from './list-stream.ts';
import { isOwn } from './session-tree.ts';
import { createStore, useSelected } from './store.ts';

export type ServerSettings = Answer<RouteOf<'settings'>>;

/** The sessions of the server and the state of the connection. */
export interface Host {
  link: Link;
  /** True until the first list arrives. */
  isLoading: boolean;
  /** True if the server requires a token. */
  isSignedOut: boolean;
  sessions: ReadonlyMap<string, SessionView>;
  /** A session that was opened by its address and is older than those in the list. */
  visited: SessionView | undefined;
  settings: ServerSettings | undefined;
  models: readonly ModelView[];
  /** True if there are older sessions than those in the list. */
  hasOlder: boolean;
  /** The sessions that need the user. */
  attention: AttentionListView;
  /** Position of the newest decision of the guard of Claude Code; 0 without one. */
  guardSeq: number;
  /** Set while the list is the stored one, because there is no connection: its time in Unix milliseconds. */
  asOf: number | undefined;
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
  attention: { alerts: [], items: [], counts: { answer: 0, failed: 0, done: 0 } },
  guardSeq: 0,
  asOf: undefined,
});

/** True while the page shows a stored state, so that nothing can be changed. */
export function useIsStored(): boolean {
  return useSelected(host, ({ asOf }) => asOf !== undefined);
}

function change(part: Partial<Host>): void {
  host.set({ ...host.get(), ...part });
}

/** A session of the list, or the one opened by its address. */
export function sessionOf(
  { sessions, visited }: Pick<Host, 'sessions' | 'visited'>,
  id: string,
): SessionView | undefined {
  return sessions.get(id) ?? (visited?.id === id ? visited : undefined);
}

/** Loads a session that is not in the list. The list stream reports its later changes. */
export async function visit(id: string): Promise<void> {
  // The stream of the session reports a failure.
  const visited = await client.session({ params: { id } }).catch(() => undefined);
  if (visited) change({ visited });
}

/** Shows the stored list until the first one arrives. */
export function showLastState({ at, sessions, attention }: LastState): void {
  change({ sessions: new Map(sessions.map((each) => [each.id, each])), attention, isLoading: false, asOf: at });
}

/** Number of sessions in a snapshot of the list stream: the latest. */
const SNAPSHOT = 500;
/** Number of older sessions per request. */
const PAGE = 100;

/** Loads the sessions before the oldest in the list. */
export async function loadOlder(): Promise<void> {
  const oldest = toOldest(host.get().sessions.values());
  if (!oldest) return;
  const { sessions, next } = await client.sessions({
    query: { cursor: oldest.id, limit: PAGE, archived: 'false' },
  });
  const all = new Map(host.get().sessions);
  for (const session of sessions) if (!all.has(session.id)) all.set(session.id, session);
  change({ sessions: all, hasOlder: next !== null });
}

function toOldest(sessions: Iterable<SessionView>): SessionView | undefined {
  return [...sessions].reduce<SessionView | undefined>((a, b) => (a && a.updatedAt < b.updatedAt ? a : b), undefined);
}

/** Applies a snapshot of the latest sessions. Older loaded sessions stay in the list and are loaded again. */
function takeSnapshot(latest: readonly SessionView[]): void {
  const { sessions: stored, isLoading, hasOlder, asOf } = host.get();
  const before = asOf === undefined ? stored : new Map<string, SessionView>();
  const sessions = new Map(latest.map((session) => [session.id, session]));
  const end = latest.length < SNAPSHOT ? undefined : toOldest(latest);
  const older = [...before.values()].filter(
    ({ id, updatedAt }) => end && updatedAt < end.updatedAt && !sessions.has(id),
  );
  for (const session of older) sessions.set(session.id, session);
  change({
    sessions,
    isLoading: false,
    asOf: undefined,
    hasOlder: end !== undefined && (older.length === 0 || hasOlder),
  });
  const last = toOldest(older);
  if (!isLoading && end && last) void renewOlder(end, last).catch(() => undefined);
}

/** Loads the sessions from `from` back to `to` again and removes those that no longer exist. */
async function renewOlder(from: SessionView, to: SessionView): Promise<void> {
  const found = new Map<string, SessionView>();
  for (let cursor: string | null = from.id; cursor !== null;) {
    const { sessions, next }: { sessions: SessionView[]; next: string | null } = await client.sessions({
      query: { cursor, limit: PAGE, archived: 'false' },
    });
    for (const session of sessions) found.set(session.id, session);
    cursor = sessions.some(({ updatedAt }) => updatedAt <= to.updatedAt) ? null : next;
  }
  const isOlder = ({ updatedAt }: SessionView) => updatedAt < from.updatedAt;
  const remaining = [...host.get().sessions].filter(([id, session]) => !isOlder(session) || found.has(id));
  change({ sessions: new Map([...remaining, ...found].map(([id, session]) => [id, newest(session, found.get(id))])) });
}

function newest(a: SessionView, b: SessionView | undefined): SessionView {
  return b && b.updatedAt >= a.updatedAt ? b : a;
}

/** Changes that are not rendered yet; undefined for a removed session. */
const pending = new Map<string, SessionView | undefined>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Milliseconds in which changes are batched. Rendering the list for each of hundreds of changes takes seconds. */
const COLLECT_MS = 16;

function queueChange(id: string, session: SessionView | undefined): void {
  pending.set(id, session);
  // A timer instead of an animation frame, because the title must also change in a hidden tab.
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

/** Follows the list of sessions. A second call restarts the stream. */
export function openHost(): void {
  end?.abort();
  end = new AbortController();
  change({ isSignedOut: false, link: 'connecting' });
  followList({
    signal: end.signal,
    known() {
      flushChanges();
      const { isLoading, sessions, attention, guardSeq } = host.get();
      return isLoading ? undefined : { sessions: [...sessions.values()], attention, guardSeq };
    },
    onSnapshot(sessions) {
      flushChanges();
      takeSnapshot(sessions);
    },
    onSession: (session) => queueChange(session.id, session),
    onRemoved: (id) => queueChange(id, undefined),
    onAttention(attention) {
      flushChanges();
      change({ attention });
    },
    onGuard: (guardSeq) => change({ guardSeq }),
    onState: (state) => void takeState(state),
  });
}

/** What sessions that are older than those in the list need from the user. */
export function toUnlisted({ sessions, attention }: Pick<Host, 'sessions' | 'attention'>): AttentionItemView[] {
  const items = attention.items.filter(({ session }) => !sessions.has(session));
  return [...new Map(items.toReversed().map((item) => [item.session, item])).values()].toReversed();
}

async function takeState(state: StreamState): Promise<void> {
  change({ link: toLink(state, host.get().link) });
  if (state.state !== 'live' && state.state !== 'ended') return;
  // A hidden tab loads the settings when it becomes visible: it then takes over the stream, which reports `live` again.
  if (document.hidden && state.state === 'live' && host.get().settings && !host.get().isSignedOut) return;
  try {
    const [settings, { models }] = await Promise.all([client.settings(), client.models(), loadAccess()]);
    change({ settings: withChosen(settings), models, isSignedOut: false });
  } catch (error) {
    const isSignedOut = isProblemError(error) && [401, 403].includes(error.problem.status);
    if (!isSignedOut) return;
    await loadAccess().catch(() => undefined);
    change({ isSignedOut, isLoading: false });
  }
}

/** The approval mode that the user chose on this page. */
let chosenMode: Mode | undefined;

function withChosen(settings: ServerSettings): ServerSettings {
  return { ...settings, mode: chosenMode ?? settings.mode };
}

/** Chooses the approval mode of new sessions, for this page and for other places where the user opens sessions. */
export async function chooseMode(mode: Mode): Promise<void> {
  chosenMode = mode;
  const { settings } = host.get();
  if (settings) change({ settings: withChosen(settings) });
  await client.chooseMode({ body: { mode } });
}

/** Reads the approval mode of new sessions, unless the user chose it on this page. A failure keeps the previous one. */
export async function readMode(): Promise<void> {
  const read = await client.settings().catch(() => undefined);
  const { settings } = host.get();
  if (read && settings) change({ settings: withChosen({ ...settings, mode: read.mode }) });
}

/** Loads the settings and models again after a change of them on this page. A failure keeps the previous ones. */
export async function reloadSettings(): Promise<void> {
  chosenMode = undefined;
  await Promise.all([client.settings(), client.models()]).then(
    ([settings, { models }]) => change({ settings, models }),
    () => undefined,
  );
}

async function loadAccess(): Promise<void> {
  access.set(await client.signInState());
}

/** Order of the states in the list. */
const URGENCY: Record<SessionView['state'], number> = {
  'needs-you': 0,
  interrupted: 1,
  running: 2,
  queued: 3,
  failed: 4,
  done: 4,
  idle: 4,
};

/** Groups of the list, without child sessions: those that need the user, longest waiting first; pinned and other sessions, latest first. */
export function groupSessions({
  sessions,
  attention,
}: Pick<Host, 'sessions' | 'attention'>): Record<'waiting' | 'pinned' | 'others', SessionView[]> {
  const own = [...sessions.values()].filter(
    (session) => isOwn(session, sessions) && (!session.archived || session.state === 'needs-you'),
  );
  const all = own.toSorted(
    (a, b) =>
      URGENCY[a.state] - URGENCY[b.state] || (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0),
  );
  // An item may arrive before the change of its session.
  const since = new Map(attention.items.toReversed().map((item) => [item.session, item.since]));
  const isWaiting = ({ id, state }: SessionView) => state === 'needs-you' || (since.has(id) && isEnded(state));
  const toSince = ({ id, askedAt }: SessionView) => askedAt ?? since.get(id) ?? '';
  return {
    waiting: all.filter(isWaiting).toSorted((a, b) => toSince(a).localeCompare(toSince(b))),
    pinned: all.filter((session) => session.pinned && !isWaiting(session)),
    others: all.filter((session) => !session.pinned && !isWaiting(session)),
  };
}

/** True while no run is active or queued. */
function isEnded(state: SessionView['state']): boolean {
  return state !== 'running' && state !== 'queued';
}

/** The name of a session; undefined for a session without a title and a prompt. */
export function nameOf({ title, firstPrompt }: Pick<SessionView, 'title' | 'firstPrompt'>): string | undefined {
  return title ?? firstPrompt ?? undefined;
}
