import { followHost, type FollowHostOptions, type StreamState } from '@klaus/server/client';
import { API_VERSION, type AttentionListView, type SessionView } from '@klaus/server/contract';
import { toOwnName } from './base-path.ts';
import { client } from './client.ts';
import { visibility } from './visibility.ts';

/** Messages between tabs. The tab with the stream forwards its events; `ask` requests a snapshot from it. */
type TabMessage =
  | { kind: 'snapshot'; sessions: SessionView[] }
  | { kind: 'session'; session: SessionView }
  | { kind: 'removed'; session: string; undoUntil: number | null }
  | { kind: 'attention'; attention: AttentionListView }
  | { kind: 'guard'; seq: number }
  | { kind: 'state'; state: StreamState }
  | { kind: 'ask' };

export interface ListStreamOptions extends Required<FollowHostOptions> {
  /** All known sessions, for a tab that was opened later; undefined until the first snapshot. */
  known: () => { sessions: SessionView[]; attention: AttentionListView; guardSeq: number } | undefined;
}

/** The version separates tabs of different versions of the page. */
const NAME = toOwnName(`klaus.list.${API_VERSION}`);

/**
 * Follows the list of sessions until the signal is aborted. All tabs of a browser share one stream, because a browser
 * limits the connections per server. The tab that was visible last holds a lock, follows the stream and forwards its
 * events to the other tabs. When that tab is closed or killed, the browser passes the lock to the next. Without locks,
 * such as over plain HTTP to another machine, every tab has its own stream.
 */
export function followList(options: ListStreamOptions): void {
  if (!('locks' in navigator)) {
    void followHost(client, options);
    return;
  }
  const { signal } = options;
  const channel = new BroadcastChannel(NAME);
  const post = (message: TabMessage) => channel.postMessage(message);
  let hold: { end: AbortController; isHad: boolean } | undefined;
  /** The state of the stream in the tab that holds the lock. */
  let streamState: StreamState = { state: 'connecting' };

  const release = () => {
    hold?.end.abort();
    hold = undefined;
  };
  const handle = (message: TabMessage) => {
    if (message.kind === 'snapshot') options.onSnapshot(message.sessions);
    else if (message.kind === 'session') options.onSession(message.session);
    else if (message.kind === 'removed') options.onRemoved(message.session, message.undoUntil);
    else if (message.kind === 'attention') options.onAttention(message.attention);
    else if (message.kind === 'guard') options.onGuard(message.seq);
    else if (message.kind === 'state') options.onState(message.state);
  };
  const forward = (message: TabMessage) => {
    handle(message);
    post(message);
  };
  const claim = async (steal: boolean) => {
    release();
    const own = { end: new AbortController(), isHad: false };
    hold = own;
    const lead = () => {
      own.isHad = true;
      return followHost(client, {
        signal: own.end.signal,
        onSnapshot: (sessions) => forward({ kind: 'snapshot', sessions }),
        onSession: (session) => forward({ kind: 'session', session }),
        onRemoved: (session, undoUntil) => forward({ kind: 'removed', session, undoUntil }),
        onAttention: (attention) => forward({ kind: 'attention', attention }),
        onGuard: (seq) => forward({ kind: 'guard', seq }),
        onState(state) {
          streamState = state;
          forward({ kind: 'state', state });
        },
      });
    };
    let isStolen = false;
    try {
      await navigator.locks.request(NAME, steal ? { steal } : { signal: own.end.signal }, lead);
    } catch {
      // Released by this tab, or stolen by a visible one.
      isStolen = !own.end.signal.aborted;
    }
    own.end.abort();
    if (hold !== own) return;
    hold = undefined;
    if (isStolen) void claim(false);
  };
  const update = () => {
    const now = visibility.get();
    if (now === 'frozen') release();
    else if (now === 'visible' && !hold?.isHad) void claim(true);
    else if (!hold) {
      void claim(false);
      post({ kind: 'ask' });
    }
  };

  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (visibility.get() === 'frozen') return;
    if (data.kind === 'ask') {
      const known = hold?.isHad ? options.known() : undefined;
      if (!known) return;
      post({ kind: 'state', state: streamState });
      post({ kind: 'snapshot', sessions: known.sessions });
      post({ kind: 'attention', attention: known.attention });
      post({ kind: 'guard', seq: known.guardSeq });
      return;
    }
    handle(data);
    // The server refused this tab, but the user signed in on another one.
    if (data.kind === 'snapshot' && !hold) void claim(false);
  });
  const stop = visibility.subscribe(update);
  signal.addEventListener('abort', () => {
    stop();
    release();
    channel.close();
  });
  update();
}
