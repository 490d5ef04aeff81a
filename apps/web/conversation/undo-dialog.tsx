import type { RestoredView } from '@klaus/server/contract';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { showRestored } from '../actions/session-actions.ts';
import { client } from '../state/client.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';

const MAX_PATHS = 30;

/** Previews and performs an undo. Without a turn: of the last turn that changed files. */
export function UndoDialog({ session, turn }: { session: string; turn: number | undefined }) {
  const t = useText();
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState<RestoredView | undefined>();
  const given = turn === undefined ? {} : { turn };
  const preview = useQuery(`${session} ${turn}`, (signal) =>
    client.undo({ params: { id: session }, body: { ...given, dryRun: true } }, { signal }),
  );
  const undo = async (conflicts?: 'keep' | 'overwrite') => {
    setSending(true);
    const body = { ...given, ...(conflicts ? { conflicts } : {}) };
    const restored = await attempt(() => client.undo({ params: { id: session }, body }));
    setSending(false);
    if (!restored) return;
    if (!restored.done && restored.conflicts.length > 0) {
      // A file changed after the preview was loaded.
      setRefused(restored);
      return;
    }
    closeOverlay();
    showRestored(restored);
  };
  const value = refused ?? preview.value;
  return (
    <Dialog title={turn === undefined ? t.conversation.undoDo : t.conversation.undoTitle(turn)} onClose={closeOverlay}>
      <div className="dialog-body column">
        <Pending query={preview} title={t.app.failed} rows={3} />
        {value && value.changes.length === 0 ? <p>{t.conversation.undoNothing}</p> : null}
        {value && value.changes.length > 0 ? (
          <>
            <p>{t.conversation.undoFiles(value.changes.length)}</p>
            <Paths entries={value.changes} max={MAX_PATHS} />
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
              <Button variant="danger" disabled={isSending} onClick={() => void undo('overwrite')}>
                {t.conversation.undoOverwrite}
              </Button>
              <Button variant="primary" disabled={isSending} onClick={() => void undo('keep')}>
                {t.conversation.undoKeep}
              </Button>
            </>
          ) : (
            <Button
              variant="primary"
              data-first
              disabled={isSending || !value || value.changes.length === 0}
              onClick={() => void undo()}
            >
              {t.conversation.undoDo}
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
