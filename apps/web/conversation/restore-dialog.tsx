import type { RestoredView } from '@klaus/server/contract';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';

const MAX_PATHS = 30;

export interface RestoreChoice {
  dryRun?: boolean;
  conflicts?: 'keep' | 'overwrite';
}

interface RestoreDialogProps {
  title: string;
  /** Identifies what is restored. */
  name: string;
  hint?: string;
  words: { confirm: string; overwrite: string; /** Absent: files with conflicts cannot be kept. */ keep?: string };
  restore: (choice: RestoreChoice, signal?: AbortSignal) => Promise<RestoredView>;
  onRestored: (restored: RestoredView) => void;
}

/** Previews and performs the restore of files. Conflicts are shown, and need a decision. */
export function RestoreDialog({ title, name, hint, words, restore, onRestored }: RestoreDialogProps) {
  const t = useText();
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState<RestoredView | undefined>();
  const preview = useQuery(name, (signal) => restore({ dryRun: true }, signal));
  const perform = async (conflicts?: 'keep' | 'overwrite') => {
    setSending(true);
    const restored = await attempt(() => restore(conflicts ? { conflicts } : {}));
    setSending(false);
    if (!restored) return;
    if (!restored.done && restored.conflicts.length > 0) {
      // A file changed after the preview was loaded.
      setRefused(restored);
      return;
    }
    closeOverlay();
    onRestored(restored);
  };
  const value = refused ?? preview.value;
  return (
    <Dialog title={title} onClose={closeOverlay}>
      <div className="dialog-body column">
        <Pending query={preview} title={t.app.failed} rows={3} />
        {value && hint !== undefined ? <p>{hint}</p> : null}
        {value && value.changes.length + value.notRestored.length === 0 ? <p>{t.conversation.undoNothing}</p> : null}
        {value && value.changes.length > 0 ? (
          <>
            <p>{t.conversation.undoFiles(value.changes.length)}</p>
            <Paths entries={value.changes} max={MAX_PATHS} />
          </>
        ) : null}
        {value && value.notRestored.length > 0 ? (
          <>
            <p>{t.conversation.undoNotRestored}</p>
            <ul className="paths">
              {value.notRestored.slice(0, MAX_PATHS).map(({ path, command }) => (
                <li key={path}>
                  <span className="mono">{path}</span>:{' '}
                  {command === null ? t.conversation.undoRebuildByTool : t.conversation.undoRebuild(command)}
                </li>
              ))}
              {value.notRestored.length > MAX_PATHS ? <li>…</li> : null}
            </ul>
          </>
        ) : null}
        {value && value.conflicts.length > 0 ? (
          <>
            <p className="warn">{t.conversation.undoConflicts}</p>
            <Paths entries={value.conflicts} />
          </>
        ) : null}
        <div className="dialog-foot line">
          <Button onClick={closeOverlay}>{t.app.cancel}</Button>
          {value && value.conflicts.length > 0 ? (
            <>
              <Button variant="danger" disabled={isSending} onClick={() => void perform('overwrite')}>
                {words.overwrite}
              </Button>
              {words.keep === undefined ? null : (
                <Button variant="primary" disabled={isSending} onClick={() => void perform('keep')}>
                  {words.keep}
                </Button>
              )}
            </>
          ) : (
            <Button
              variant="primary"
              data-first
              disabled={isSending || !value || value.changes.length + value.notRestored.length === 0}
              onClick={() => void perform()}
            >
              {words.confirm}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function Paths({ entries, max = Infinity }: { entries: readonly { path: string }[]; max?: number }) {
  return (
    <ul className="paths mono">
      {entries.slice(0, max).map(({ path }) => (
        <li key={path}>{path}</li>
      ))}
      {entries.length > max ? <li>…</li> : null}
    </ul>
  );
}
