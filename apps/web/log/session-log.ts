import { followSession } from '@klaus/server/client';
import type { QueuedMessage } from '@klaus/server/contract';
import { client } from '../state/client.ts';
import { toLink, type Link } from '../state/link.ts';
import { createConversation, type Conversation } from './conversation.ts';
import { foldConversation } from './fold-conversation.ts';
import { createVisibleFollower } from './visible-follower.ts';
import { createInFlightText, removeStored, addPiece, type InFlightText } from './in-flight-text.ts';

/** What the page holds of one session. A new object at every change; what is in it is the fold itself. */
export interface SessionState {
  conversation: Conversation;
  inFlight: InFlightText;
  queue: readonly QueuedMessage[];
  link: Link;
  /** The server's own word on why it tells no more for a while, such as that the log is of a later version. */
  trouble: string | undefined;
  /** Events that were taken in: as many as the seq says once all are here, or something is missing. */
  events: number;
  /** True once there is something to show: the end of the log, or all of it. */
  isReady: boolean;
  /** True once everything that was in the log at the beginning is here. Until then totals lack what came before. */
  isComplete: boolean;
  isGone: boolean;
}

/** A session that is followed: its log is folded as it comes. */
export interface SessionLog {
  get: () => SessionState;
  subscribe: (listener: () => void) => () => void;
  close: () => void;
}

const opened = new Set<SessionLog>();

/** The logs that the page follows at present: that of the session it shows. */
export function openedLogs(): ReadonlySet<SessionLog> {
  return opened;
}

/** Events at the end of a log that are shown before the rest of a long one has come: some screens full. */
const TAIL = 200;

/** Milliseconds until another try, from which on the server has asked for it. */
const LONG_MS = 20_000;

const byName = new Map<string, () => Conversation | undefined>();

/** All that is known of a session that the page has open, for what is no part of its view. */
export function conversationOf(session: string): Conversation | undefined {
  return byName.get(session)?.();
}

/**
 * Follows a session's log, and goes on at the last seq whenever the connection was lost. Of a long log the end is
 * shown first, while all of it is folded from the beginning: the fold of the whole then takes the place of the other.
 *
 * @param isEndFirst False where something else than the end is to be shown.
 */
export function openSessionLog(session: string, isEndFirst = true): SessionLog {
  const listeners = new Set<() => void>();
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
  };
  let whole = state.conversation;
  const tell = createBatch(() => {
    state = { ...state };
    for (const listener of listeners) listener();
  });
  const showEnd = async () => {
    const view = await readEnd(session, ended.signal);
    if (!view || ended.signal.aborted) return;
    state.conversation = view.conversation;
    state.isReady = true;
    state.isComplete = view.isComplete;
    state.events = view.isComplete ? view.events : 0;
    whole = view.isComplete ? view.conversation : createConversation(session);
    tell();
    // The rest of a long log must not come between a person and what is shown of it.
    if (!view.isComplete) await afterPaint();
  };
  const followOnce = (signal: AbortSignal) =>
    followSession(client, {
      session,
      after: whole.seq,
      signal,
      onEvent(event) {
        state.events += 1;
        foldConversation(whole, event);
        removeStored(state.inFlight, event);
        // A long log is drawn once it is whole, not once for each of its parts.
        if (state.isComplete) tell();
      },
      onLive(piece) {
        addPiece(state.inFlight, piece);
        tell();
      },
      onQueue(queue) {
        state.queue = queue;
        tell();
      },
      onStanding({ held }) {
        // Nobody works on it: what was on its way when this was seen last will not be said.
        if (held) return;
        state.inFlight.messages.clear();
        state.inFlight.calls.clear();
        tell();
      },
      onReady() {
        state.conversation = whole;
        state.isReady = true;
        state.isComplete = true;
        tell();
      },
      onGone() {
        state.isGone = true;
        tell();
      },
      onState(each) {
        state.link = toLink(each, state.link);
        // Another try that the page has made by itself comes sooner.
        const isSaid = each.state === 'waiting' && each.retryAt - Date.now() > LONG_MS;
        if (each.state !== 'connecting') state.trouble = isSaid ? each.reason : undefined;
        if (state.link === 'online') inSight.onOnline();
        tell();
      },
    });
  const inSight = createVisibleFollower(followOnce, { signal: ended.signal, isOnline: () => state.link === 'online' });
  void (isEndFirst ? showEnd().then(inSight.follow) : inSight.follow());
  const conversation = () => (state.isComplete ? state.conversation : undefined);
  byName.set(session, conversation);
  const log: SessionLog = {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      ended.abort();
      opened.delete(log);
      if (byName.get(session) === conversation) byName.delete(session);
    },
  };
  opened.add(log);
  return log;
}

/** The fold of a log's end, with what its first event says; undefined where it cannot be had: the stream says why. */
async function readEnd(
  session: string,
  signal: AbortSignal,
): Promise<{ conversation: Conversation; isComplete: boolean; events: number } | undefined> {
  const params = { id: session };
  try {
    const [{ events: opening }, { events: end }] = await Promise.all([
      client.log({ params, query: { limit: 1 } }, { signal }),
      client.log({ params, query: { last: TAIL } }, { signal }),
    ]);
    const conversation = createConversation(session);
    for (const event of [...opening, ...end]) foldConversation(conversation, event);
    const first = end[0]?.seq ?? 1;
    return { conversation, isComplete: first <= 2, events: end.length + first - 1 };
  } catch {
    return undefined;
  }
}

/** Resolves when the browser has drawn what was changed before; in a hidden page, where nothing is drawn, soon. */
function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    const later = () => setTimeout(resolve, 0);
    if (document.hidden) later();
    else requestAnimationFrame(() => requestAnimationFrame(later));
  });
}

/** Runs at most once for each picture that the browser draws; in a hidden page, where none is drawn, a few times a second. */
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
