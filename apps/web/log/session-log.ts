import { followSession } from '@klaus/server/client';
import type { QueuedMessage } from '@klaus/server/contract';
import { client } from '../state/client.ts';
import { toLink, type Link } from '../state/link.ts';
import { createConversation, foldConversation, type Conversation } from './conversation.ts';
import { createLive, settleLive, takeLive, type LiveText } from './live-text.ts';

/** What the page holds of one session. A new object at every change; what is in it is the fold itself. */
export interface SessionState {
  conversation: Conversation;
  live: LiveText;
  queue: readonly QueuedMessage[];
  link: Link;
  /** True once everything that was in the log at the beginning is here. */
  isReady: boolean;
  isGone: boolean;
}

/** A session that is followed: its log is folded as it comes. */
export interface SessionLog {
  get: () => SessionState;
  subscribe: (listener: () => void) => () => void;
  close: () => void;
}

/** Follows a session's log, and goes on at the last seq whenever the connection was lost. */
export function openSessionLog(session: string): SessionLog {
  const listeners = new Set<() => void>();
  const ended = new AbortController();
  let state: SessionState = {
    conversation: createConversation(session),
    live: createLive(),
    queue: [],
    link: 'connecting',
    isReady: false,
    isGone: false,
  };
  const tell = createBatch(() => {
    state = { ...state };
    for (const listener of listeners) listener();
  });
  void followSession(client, {
    session,
    signal: ended.signal,
    onEvent(event) {
      foldConversation(state.conversation, event);
      settleLive(state.live, event);
      // A long log is drawn once it is whole, not once for each of its parts.
      if (state.isReady) tell();
    },
    onLive(piece) {
      takeLive(state.live, piece);
      tell();
    },
    onQueue(queue) {
      state.queue = queue;
      tell();
    },
    onReady() {
      state.isReady = true;
      tell();
    },
    onGone() {
      state.isGone = true;
      tell();
    },
    onState(each) {
      state.link = toLink(each, state.link);
      tell();
    },
  });
  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => ended.abort(),
  };
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
