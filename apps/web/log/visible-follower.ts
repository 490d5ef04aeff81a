import { visibility, untilVisibility } from '../state/visibility.ts';

/** Milliseconds in which what waited for a connection is sent by a tab that nobody looks at. */
const SENDING_MS = 5_000;

interface VisibleFollowerOptions {
  /** Ends it for good. */
  signal: AbortSignal;
  isOnline: () => boolean;
}

/**
 * Follows something while a person can see this tab. One that nobody looks at gives its connection back, and goes on
 * when it is shown again. But one that has lost the connection tries on until it has it: a message may wait for it.
 *
 * @param once Follows until its signal says enough; it resolves earlier where there is nothing more to follow.
 */
export function createVisibleFollower(
  once: (signal: AbortSignal) => Promise<void>,
  { signal, isOnline }: VisibleFollowerOptions,
): { follow: () => Promise<void>; onOnline: () => void } {
  let leave = () => {};
  let sending: ReturnType<typeof setTimeout> | undefined;
  // What waits for a moment to come keeps all that it knows of in memory.
  signal.addEventListener('abort', () => clearTimeout(sending));
  return {
    async follow() {
      while (!signal.aborted) {
        await untilVisibility(['shown'], signal);
        const round = new AbortController();
        leave = () => {
          const now = visibility.get();
          if (now === 'asleep' || (now === 'away' && isOnline())) round.abort();
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
