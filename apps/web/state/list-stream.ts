import { followHost, type FollowHostOptions, type StreamState } from '@klaus/server/client';
import { API_VERSION, type SessionView } from '@klaus/server/contract';
import { client } from './client.ts';
import { visibility } from './visibility.ts';

/** What the tab that has the stream tells the others; `ask` is what they ask it. */
type TabMessage =
  | { kind: 'snapshot'; sessions: SessionView[] }
  | { kind: 'session'; session: SessionView }
  | { kind: 'removed'; session: string; undoUntil: number | null }
  | { kind: 'state'; state: StreamState }
  | { kind: 'ask' };

export interface ListStreamOptions extends Required<FollowHostOptions> {
  /** All sessions that are known, for a tab that was opened later; undefined as long as none have come. */
  known: () => SessionView[] | undefined;
}

/** Tabs of another version of the page mean something else by the same words. */
const NAME = `klaus.list.${API_VERSION}`;

/**
 * Follows the list of sessions until the signal says enough, by one stream for all tabs of a browser, which has few
 * connections to give. A lock says which tab has it: the one that was shown last, for it must never depend on
 * another. It tells the rest; when it is closed or killed the browser gives the lock to the next. Where there are no
 * locks, as over plain HTTP to another machine, every tab has a stream of its own.
 */
export function followList(options: ListStreamOptions): void {
  if (!('locks' in navigator)) {
    void followHost(client, options);
    return;
  }
  const { signal } = options;
  const channel = new BroadcastChannel(NAME);
  const say = (word: TabMessage) => channel.postMessage(word);
  /** The lock that this tab has, or waits for. */
  let hold: { end: AbortController; isHad: boolean } | undefined;
  /** How the stream of this tab stands, while it has it. */
  let standing: StreamState = { state: 'connecting' };

  const release = () => {
    hold?.end.abort();
    hold = undefined;
  };
  const take = (word: TabMessage) => {
    if (word.kind === 'snapshot') options.onSnapshot(word.sessions);
    else if (word.kind === 'session') options.onSession(word.session);
    else if (word.kind === 'removed') options.onRemoved(word.session, word.undoUntil);
    else if (word.kind === 'state') options.onState(word.state);
  };
  const pass = (word: TabMessage) => {
    take(word);
    say(word);
  };
  const claim = async (steal: boolean) => {
    release();
    const own = { end: new AbortController(), isHad: false };
    hold = own;
    const lead = () => {
      own.isHad = true;
      return followHost(client, {
        signal: own.end.signal,
        onSnapshot: (sessions) => pass({ kind: 'snapshot', sessions }),
        onSession: (session) => pass({ kind: 'session', session }),
        onRemoved: (session, undoUntil) => pass({ kind: 'removed', session, undoUntil }),
        onState(state) {
          standing = state;
          pass({ kind: 'state', state });
        },
      });
    };
    let isStolen = false;
    try {
      await navigator.locks.request(NAME, steal ? { steal } : { signal: own.end.signal }, lead);
    } catch {
      // Given up here, or taken by a tab that was shown.
      isStolen = !own.end.signal.aborted;
    }
    own.end.abort();
    if (hold !== own) return;
    hold = undefined;
    if (isStolen) void claim(false);
  };
  const look = () => {
    const now = visibility.get();
    if (now === 'asleep') release();
    else if (now === 'shown' && !hold?.isHad) void claim(true);
    else if (!hold) {
      void claim(false);
      say({ kind: 'ask' });
    }
  };

  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (visibility.get() === 'asleep') return;
    if (data.kind === 'ask') {
      const sessions = hold?.isHad ? options.known() : undefined;
      if (!sessions) return;
      say({ kind: 'state', state: standing });
      say({ kind: 'snapshot', sessions });
      return;
    }
    take(data);
    // The server refused this tab, and takes another: somebody signed in there.
    if (data.kind === 'snapshot' && !hold) void claim(false);
  });
  const stop = visibility.subscribe(look);
  signal.addEventListener('abort', () => {
    stop();
    release();
    channel.close();
  });
  look();
}
