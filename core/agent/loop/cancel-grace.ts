import type { Clock } from '../ports/clock.ts';

/** The sign that something went on after it was told to stop. */
export const ABANDONED = Symbol('given up');

/** Milliseconds that a tool has to end after it was told to stop. */
const STOP_GRACE_MS = 5_000;

/**
 * What `running` gives, or {@link ABANDONED} when it has not ended within a grace time after `stop`: a tool that
 * does not listen must not hold up a cancel for ever.
 */
export async function withCancelGrace<T>(
  running: Promise<T>,
  { stop, clock }: { stop: AbortSignal; clock: Clock },
): Promise<T | typeof ABANDONED> {
  const settled = new AbortController();
  let giveUp: () => void = () => {};
  const givenUp = new Promise<typeof ABANDONED>((resolve) => {
    giveUp = () => void clock.sleep(STOP_GRACE_MS, settled.signal).then(() => resolve(ABANDONED));
  });
  stop.addEventListener('abort', giveUp, { once: true });
  if (stop.aborted) giveUp();
  try {
    return await Promise.race([running, givenUp]);
  } finally {
    settled.abort();
    stop.removeEventListener('abort', giveUp);
  }
}
