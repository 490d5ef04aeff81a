import { formatTime } from '../text/format.ts';

export function Time({ at }: { at: number }) {
  return (
    <time className="muted" dateTime={new Date(at).toISOString()}>
      {formatTime(at)}
    </time>
  );
}
