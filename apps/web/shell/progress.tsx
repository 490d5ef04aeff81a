import { useState } from 'react';
import { formatDuration } from '../text/format.ts';
import { useNow } from '../ui/use-now.ts';

/** What is in progress, without a known end, and for how long. */
export function Progress({ words }: { words: string }) {
  const now = useNow(true);
  const [since] = useState(Date.now);
  return (
    <div className="progress column">
      <progress aria-label={words} />
      <p className="small muted">
        {words} {/* A screen reader would announce each second. */}
        <span className="number" aria-hidden>
          {formatDuration(Math.max(0, Math.floor((now - since) / 1_000) * 1_000))}
        </span>
      </p>
    </div>
  );
}
