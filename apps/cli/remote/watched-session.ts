import type { Event, Live } from '@klaus/sdk';
import { followSession } from '@klaus/server/client';
import type { SessionStatus } from '@klaus/server/contract';
import type { Output } from '../output/output.ts';
import type { RemoteServer } from './connect-server.ts';
import { createRunFacts, type RunFacts } from './run-facts.ts';
import { ServerError, toServerError } from './server-error.ts';

export interface WatchOptions {
  server: RemoteServer;
  /** Id. */
  session: string;
  /** Events after this one are shown. */
  after: number;
  /** Some of those before it. */
  before: readonly Event[];
  output: Output;
  /** True when a person at this terminal answers questions. */
  asks: boolean;
  /** A word about the connection. */
  say: (text: string) => void;
}

/** A session of a server that is shown as it goes on there, whatever happens to the connection. */
export interface WatchedSession {
  /** What the events have told so far. */
  readonly facts: RunFacts;
  /**
   * Resolves when the session stands still: nobody works on it, and everything that was appended has been shown.
   * Until something happens again it resolves with the same.
   *
   * @throws ServerError when it is gone, or the server does not let this client in any more.
   */
  still(): Promise<SessionStatus>;
  /** Grows with everything that comes. */
  readonly version: number;
  /** Resolves when something came after that version. */
  changed(version: number): Promise<void>;
  close(): Promise<void>;
}

/** Follows and shows a session. */
export function watchSession(options: WatchOptions): WatchedSession {
  const { server, session, after, output } = options;
  const quit = new AbortController();
  const facts = createRunFacts(options.asks);
  options.before.forEach((event) => facts.recall(event));
  const fresh = createFreshText();
  const link = createLinkWords(server.name, options.say);
  let seq = after;
  let standing: SessionStatus | undefined;
  let lost: Error | undefined;
  let version = 0;
  const waiters = new Set<() => void>();
  const wake = (): void => {
    version += 1;
    for (const waiter of waiters) waiter();
    waiters.clear();
  };
  const changed = (since: number): Promise<void> =>
    version === since ? new Promise((resolve) => void waiters.add(resolve)) : Promise.resolve();

  const following = followSession(server.client, {
    session,
    after,
    onEvent(event) {
      seq = event.seq;
      facts.take(event);
      output.event(event);
      wake();
    },
    ...(output.live ? { onLive: (live: Live) => fresh(live).forEach((each) => output.live?.(each)) } : {}),
    onStatus(now) {
      standing = now;
      wake();
    },
    onGone() {
      lost = new ServerError('usage', `Session ${session} was deleted at ${server.name}.`);
      wake();
    },
    onState(state) {
      link(state);
      // What was known of it belongs to the connection that is gone.
      if (state.state !== 'live') standing = undefined;
      if (state.state === 'ended') {
        lost = new Error(state.reason);
        wake();
      }
    },
    signal: quit.signal,
  });

  const findLoss = async (): Promise<Error> => {
    if (lost instanceof ServerError) return lost;
    // The stream was refused; the same question by an ordinary request says why.
    const problem = await server.client.session({ params: { id: session } }).then(
      () => undefined,
      (error: unknown) => (error as { problem?: Parameters<typeof toServerError>[0] }).problem,
    );
    return problem ? toServerError(problem, server.name) : new ServerError('config', String(lost?.message));
  };

  return {
    facts,
    async still() {
      for (;;) {
        const now = version;
        if (lost) throw await findLoss();
        if (standing && seq >= standing.lastSeq && !standing.held && standing.position === null) return standing;
        await changed(now);
      }
    },
    get version() {
      return version;
    },
    changed,
    async close() {
      quit.abort();
      await following;
    },
  };
}

/** Says once that the connection broke, and once that it is there again. */
function createLinkWords(name: string, say: (text: string) => void) {
  let isBroken = false;
  return (state: { state: string; reason?: string }): void => {
    if (state.state === 'waiting' && !isBroken) {
      isBroken = true;
      say(`The connection to ${name} broke; trying again until it is back. The run goes on there.`);
    } else if (state.state === 'live' && isBroken) {
      isBroken = false;
      say(`Connected to ${name} again.`);
    }
  };
}

/** After a reconnection the text on its way comes from its beginning: only what is new of it is shown. */
function createFreshText(): (live: Live) => Live[] {
  const lengths = new Map<string, number>();
  return (live) => {
    if (live.type === 'message.discarded') return [live];
    const key = live.type === 'tool.progress' ? live.call : `${live.message}/${live.part}`;
    const known = lengths.get(key) ?? 0;
    lengths.set(key, Math.max(known, live.offset + live.text.length));
    const text = live.text.slice(Math.max(0, known - live.offset));
    return text === '' ? [] : [{ ...live, offset: Math.max(live.offset, known), text }];
  };
}
