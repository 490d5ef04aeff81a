import {
  addPiece,
  createConversation,
  createInFlightText,
  foldConversation,
  removeStored,
  type Conversation,
  type InFlightText,
} from '@klaus/core/conversation';
import { followSession } from '@klaus/server/client';
import type { QueuedMessage } from '@klaus/server/contract';
import { client } from '../state/client.ts';
import { toLink, type Link } from '../state/link.ts';
import { createStore, type Store } from '../state/store.ts';
import { createKeptLog } from './kept-log.ts';
import { createVisibleFollower } from './visible-follower.ts';

/** The state of one session on the page. A new object at every change; the fold in it is changed in place. */
export interface SessionState {
  conversation: Conversation;
  inFlight: InFlightText;
  queue: readonly QueuedMessage[];
  link: Link;
  /** The reason of the server for a long pause of the stream, such as a log of a later version. */
  trouble: string | undefined;
  /** Number of folded events: equal to the seq once the session is loaded. */
  events: number;
  /** True once the end of the log, or all of it, can be shown. */
  isReady: boolean;
  /** True once the log is loaded from the beginning. Until then, totals are incomplete. */
  isComplete: boolean;
  isGone: boolean;
  /** True while a conversation that this browser stored is shown, without a connection. */
  isStored: boolean;
}

export interface SessionLog extends Pick<Store<SessionState>, 'get' | 'subscribe'> {
  close: () => void;
}

const opened = new Set<SessionLog>();

/** The logs that the page follows: the one of the current session. */
export function openedLogs(): ReadonlySet<SessionLog> {
  return opened;
}

/** Number of events that are shown from the end of a log before the rest is loaded. */
const TAIL = 200;

/** Delays above this number of milliseconds are requested by the server; the client's own are shorter. */
const LONG_MS = 20_000;

const byName = new Map<string, () => Conversation | undefined>();

/** The fold of an open session; undefined until it is completely loaded. */
export function conversationOf(session: string): Conversation | undefined {
  return byName.get(session)?.();
}

/**
 * Follows the log of a session and resumes at the last seq after a lost connection. The end of a long log is shown
 * first, while the complete log is folded from the beginning. That fold then replaces the first one.
 *
 * @param isEndFirst False if the page shows another position than the end.
 */
export function openSessionLog(session: string, isEndFirst = true): SessionLog {
  const ended = new AbortController();
  let state: SessionState = {
    conversation: createConversation(session),
    inFlight: createInFlightText(),
    queue: [],
    events: 0,
    link: 'connecting',
    trouble: undefined,
    isReady: false,
    isComplete: false,
    isGone: false,
    isStored: false,
  };
  let complete = state.conversation;
  const store = createStore(state);
  const notify = createBatch(() => store.set((state = { ...state })));
  const showEnd = async () => {
    const view = await (takeEnd(session) ?? readEnd(session, ended.signal));
    if (ended.signal.aborted) return;
    if (!view) return void showSaved();
    for (const event of view.kept) kept.add(event);
    state.conversation = view.conversation;
    state.isReady = true;
    state.isComplete = view.isComplete;
    state.events = view.isComplete ? view.events : 0;
    complete = view.isComplete ? view.conversation : createConversation(session);
    notify();
    // Paint the end before the rest of a long log keeps the browser busy.
    if (!view.isComplete) await afterPaint();
  };
  const kept = createKeptLog(session);
  const showSaved = async () => {
    const conversation = await kept.read();
    if (!conversation || ended.signal.aborted || state.isReady) return;
    Object.assign(state, { conversation, isReady: true, isStored: true });
    notify();
  };
  const followOnce = (signal: AbortSignal) =>
    followSession(client, {
      session,
      after: complete.seq,
      signal,
      onEvent(event) {
        state.events += 1;
        foldConversation(complete, event);
        kept.add(event);
        if (event.type === 'run.finished' && state.isComplete) kept.save();
        removeStored(state.inFlight, event);
        // A long log is rendered once it is complete, not for each event.
        if (state.isComplete) notify();
      },
      onLive(piece) {
        addPiece(state.inFlight, piece);
        notify();
      },
      onQueue(queue) {
        state.queue = queue;
        notify();
      },
      onStatus({ held }) {
        // No process runs the session, so its in-flight text will never be completed.
        if (held) return;
        state.inFlight.messages.clear();
        state.inFlight.calls.clear();
        notify();
      },
      onReady() {
        Object.assign(state, { conversation: complete, isReady: true, isComplete: true, isStored: false });
        kept.save();
        notify();
      },
      onGone() {
        state.isGone = true;
        kept.remove();
        notify();
      },
      onState(each) {
        state.link = toLink(each, state.link);
        // Reconnects that the page schedules itself come sooner.
        const isRequested = each.state === 'waiting' && each.retryAt - Date.now() > LONG_MS;
        if (each.state !== 'connecting') state.trouble = isRequested ? each.reason : undefined;
        if (state.link === 'online') follower.onOnline();
        notify();
      },
    });
  const follower = createVisibleFollower(followOnce, { signal: ended.signal, isOnline: () => state.link === 'online' });
  void (isEndFirst ? showEnd().then(follower.follow) : follower.follow());
  const conversation = () => (state.isComplete ? state.conversation : undefined);
  byName.set(session, conversation);
  const log: SessionLog = {
    get: () => state,
    subscribe: (listener) => store.subscribe(listener),
    close() {
      ended.abort();
      kept.close();
      opened.delete(log);
      if (byName.get(session) === conversation) byName.delete(session);
    },
  };
  opened.add(log);
  return log;
}

let early: { session: string; end: ReturnType<typeof readEnd> } | undefined;

/** Requests the end of a log while the code that shows it is loaded. */
export function requestEnd(session: string): void {
  early = { session, end: readEnd(session) };
}

/** The end that was requested early, once. */
function takeEnd(session: string): ReturnType<typeof readEnd> | undefined {
  const taken = early?.session === session ? early.end : undefined;
  early = undefined;
  return taken;
}

/** The fold of the first event and the end of a log. Undefined on failure, which the stream reports. */
async function readEnd(session: string, signal?: AbortSignal) {
  const params = { id: session };
  try {
    const [{ events: opening }, { events: end }] = await Promise.all([
      client.log({ params, query: { limit: 1 } }, { signal }),
      client.log({ params, query: { last: TAIL } }, { signal }),
    ]);
    const conversation = createConversation(session);
    for (const event of [...opening, ...end]) foldConversation(conversation, event);
    const first = end[0]?.seq ?? 1;
    const kept = first === 1 ? end : [...opening, ...end];
    return { conversation, isComplete: first <= 2, events: end.length + first - 1, kept };
  } catch {
    return undefined;
  }
}

/** Resolves after the next paint. A hidden page, which is not painted, uses a timer. */
function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    const later = () => setTimeout(resolve, 0);
    if (document.hidden) later();
    else requestAnimationFrame(() => requestAnimationFrame(later));
  });
}

/** Runs at most once per frame; in a hidden page, which has no frames, five times a second. */
function createBatch(run: () => void): () => void {
  let isDue = false;
  const fire = () => {
    isDue = false;
    run();
  };
  return () => {
    if (isDue) return;
    isDue = true;
    if (document.hidden) setTimeout(fire, 200);
    else requestAnimationFrame(fire);
  };
}
