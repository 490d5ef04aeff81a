import { formatAgo, formatTime } from '../text/format.ts';
import { useNow } from './use-now.ts';

/** A relative time, with the date as its tooltip. @param at Unix milliseconds. */
export function Time({ at }: { at: number }) {
  const now = useNow();
  return (
    <time className="muted" dateTime={new Date(at).toISOString()} title={formatTime(at)}>
      {formatAgo(at, now)}
    </time>
  );
}
