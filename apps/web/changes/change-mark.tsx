import { useChangesText } from '../text/changes/changes-text.ts';
import type { ChangedFile } from './changed-file.ts';

/** The letters of version control for changes of files. */
const LETTERS = { created: 'A', modified: 'M', deleted: 'D' } as const;
const LOOKS = { created: 'good', modified: 'warn', deleted: 'bad' } as const;

export function ChangeMark({ kind }: Pick<ChangedFile, 'kind'>) {
  return (
    <span className={`change-mark mono ${LOOKS[kind]}`} aria-hidden>
      {LETTERS[kind]}
    </span>
  );
}

/** Added and removed lines. */
export function LineCounts({ file: { added, removed } }: { file: ChangedFile }) {
  const t = useChangesText();
  if (added + removed === 0) return null;
  return (
    <span className="line-counts mono number" role="img" aria-label={t.lines(added, removed)}>
      {added > 0 ? <span className="good">+{added}</span> : null}
      {removed > 0 ? <span className="bad">−{removed}</span> : null}
    </span>
  );
}
