import type { Clock } from '../ports/clock.ts';

/** The result of a tool that did not end after a cancel. */
export const ABANDONED = Symbol('abandoned');

/** The output of such a call for the model. A replay recognizes it. */
export const ABANDONED_OUTPUT =
  'Outcome unknown: the tool was cancelled and did not stop in time. It may still be running.';

/** Milliseconds that a tool has to end after a cancel. */
const STOP_GRACE_MS = 5_000;

/**
 * The result of `running`, or {@link ABANDONED} if it does not end within a grace time after `stop`: a tool that
 * ignores a cancel must not block it.
 */
export async function withCancelGrace<T>(
  running: Promise<T>,
  { stop, clock }: { stop: AbortSignal; clock: Clock },
): Promise<T | typeof ABANDONED> {
  const ended = new AbortController();
  const { promise: abandoned, resolve } = Promise.withResolvers<typeof ABANDONED>();
  const abandon = (): void => void clock.sleep(STOP_GRACE_MS, ended.signal).then(() => resolve(ABANDONED));
  stop.addEventListener('abort', abandon, { once: true });
  if (stop.aborted) abandon();
  try {
    return await Promise.race([running, abandoned]);
  } finally {
    ended.abort();
    stop.removeEventListener('abort', abandon);
  }
}
