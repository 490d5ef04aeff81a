import { visibility, untilVisibility } from '../state/visibility.ts';

/** Milliseconds that a hidden tab keeps a new connection, so that it can send waiting messages. */
const SENDING_MS = 5_000;

interface VisibleFollowerOptions {
  /** Ends the follower permanently. */
  signal: AbortSignal;
  isOnline: () => boolean;
}

/**
 * Follows a stream while the tab is visible. A hidden tab closes its connection and resumes when it is visible again. A
 * tab without a connection keeps reconnecting even when hidden, because a message may be waiting to be sent.
 *
 * @param once Follows until its signal is aborted; resolves earlier if the stream has ended.
 */
export function createVisibleFollower(
  once: (signal: AbortSignal) => Promise<void>,
  { signal, isOnline }: VisibleFollowerOptions,
): { follow: () => Promise<void>; onOnline: () => void } {
  let leave = () => {};
  let sending: ReturnType<typeof setTimeout> | undefined;
  // A pending timer would keep the closed session in memory.
  signal.addEventListener('abort', () => clearTimeout(sending));
  return {
    async follow() {
      while (!signal.aborted) {
        await untilVisibility(['visible'], signal);
        const round = new AbortController();
        leave = () => {
          const now = visibility.get();
          if (now === 'frozen' || (now === 'away' && isOnline())) round.abort();
        };
        const stop = visibility.subscribe(leave);
        await once(AbortSignal.any([signal, round.signal]));
        stop();
        if (!round.signal.aborted) return;
      }
    },
    onOnline() {
      clearTimeout(sending);
      if (!signal.aborted) sending = setTimeout(() => leave(), SENDING_MS);
    },
  };
}
