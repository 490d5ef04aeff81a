import type { Live } from '@klaus/sdk';
import { followSession, isProblemError } from '@klaus/server/client';
import type { SessionStatus } from '@klaus/server/contract';
import { CliError } from '../../program/cli-error.ts';
import type { FollowOptions } from '@klaus/sdk/client';
import type { ConnectedServer } from './connect-server.ts';
import { toServerError } from './server-error.ts';

/** The stream of a session, which is restored when the connection is lost. */
export function streamSession({ client, name }: ConnectedServer, options: FollowOptions) {
  const { session, after, onLive } = options;
  const closing = new AbortController();
  const toNewText = createLiveFilter();
  const reportState = createConnectionReport(name, options.onConnection);
  let seq = after;
  let status: SessionStatus | undefined;
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

  const following = followSession(client, {
    session,
    after,
    onEvent(event) {
      seq = event.seq;
      options.onEvent(event);
      wake();
    },
    ...(onLive ? { onLive: (live: Live) => toNewText(live).forEach((each) => onLive(each)) } : {}),
    onQueue: options.onQueue,
    onStatus(now) {
      status = now;
      wake();
    },
    onGone() {
      lost = new CliError('usage', `Session ${session} was deleted at ${name}.`);
      wake();
    },
    onState(state) {
      reportState(state);
      // The last status belongs to the lost connection.
      if (state.state !== 'live') status = undefined;
      if (state.state === 'ended') {
        lost = new Error(state.reason);
        wake();
      }
    },
    signal: closing.signal,
  });

  const findReason = async (error: Error): Promise<unknown> => {
    if (error instanceof CliError) return error;
    // The stream was refused. An ordinary request gets the reason.
    const reason = await client.session({ params: { id: session } }).catch((problem: unknown) => problem);
    return isProblemError(reason) ? toServerError(reason.problem, name) : new CliError('config', error.message);
  };

  return {
    /**
     * Resolves when no process works on the session and every event has been reported. It resolves again, with the same
     * status, until something happens.
     *
     * @throws CliError if the session was deleted, or the server refuses this client.
     */
    async idle(): Promise<SessionStatus> {
      for (;;) {
        const now = version;
        if (lost) throw await findReason(lost);
        if (status && seq >= status.lastSeq && !status.held && status.position === null) return status;
        await changed(now);
      }
    },
    /** Increases with everything that is received. */
    get version() {
      return version;
    },
    /** Resolves when something was received after that version. */
    changed,
    close: async () => {
      closing.abort();
      await following;
    },
  };
}

/** Reports once that the connection was lost, and once that it is restored. */
function createConnectionReport(name: string, report: (text: string) => void) {
  let isLost = false;
  return ({ state }: { state: string }): void => {
    if (state === 'waiting' && !isLost) {
      isLost = true;
      report(`The connection to ${name} was lost; reconnecting. The run continues on the server.`);
    } else if (state === 'live' && isLost) {
      isLost = false;
      report(`Connected to ${name} again.`);
    }
  };
}

/** After a reconnection the server sends in-flight text from its beginning. Returns the part that is new. */
function createLiveFilter(): (live: Live) => Live[] {
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
