import type { CopyView } from '@klaus/server/contract';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { host, nameOf, sessionOf } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { showToast } from '../state/toasts.ts';
import { useBoardText } from '../text/board-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Milliseconds for which a discard can be undone in the notification; after that in the comparison. */
const UNDO_MS = 20_000;

export interface NamedCopy {
  /** Of the session. */
  id: string;
  letter: string;
  copy: CopyView;
  /** Number of changed files. */
  files: number;
}

interface DiscardDialogProps {
  copies: readonly NamedCopy[];
  onClose: () => void;
  onChange: () => void;
}

/** Confirms that working copies are discarded: what is lost, what is saved, and how to get it back. */
export function DiscardDialog({ copies, onClose, onChange }: DiscardDialogProps) {
  const t = useBoardText();
  const words = useText();
  const known = useStore(host);
  const [isSending, setSending] = useState(false);
  const discard = async () => {
    setSending(true);
    const saved: string[] = [];
    let count = 0;
    for (const { copy } of copies) {
      const discarded = await attempt(() => client.discardCopy({ params: { copy: copy.name }, body: {} }));
      if (!discarded) break;
      count += 1;
      if (discarded.saved.length > 0) saved.push(discarded.session);
    }
    const undo = async () => {
      const branches: string[] = [];
      for (const session of saved) {
        const kept = await attempt(() => client.keepCopy({ params: { copy: session }, body: {} }));
        if (kept) branches.push(kept.branch);
      }
      if (branches.length > 0) showToast({ kind: 'info', text: t.restored(branches.join(', ')) });
    };
    onChange();
    onClose();
    if (count === 0) return;
    showToast({
      kind: 'info',
      text: t.discarded(count),
      lastsMs: UNDO_MS,
      ...(saved.length > 0 ? { action: { label: t.undo, run: () => void undo() } } : {}),
    });
  };
  return (
    <Dialog title={t.discardTitle(copies.length)} onClose={onClose}>
      <div className="dialog-body column">
        <ul className="column discard-list">
          {copies.map(({ id, letter, copy, files }) => {
            const session = sessionOf(known, id);
            return (
              <li key={id} className="line">
                <span className="compared-letter">{letter}</span>
                <span className="grow">
                  {(session && nameOf(session)) ?? words.sessions.untitled}
                  <span className="small muted column mono">{copy.branch}</span>
                </span>
                <span className="small number">{files === 0 ? t.discardNothing : t.changed(files)}</span>
              </li>
            );
          })}
        </ul>
        <p>{t.discardLost}</p>
        <p>{t.discardSaved}</p>
        <div className="dialog-foot line">
          <Button onClick={onClose}>{words.app.cancel}</Button>
          <Button variant="danger" data-first disabled={isSending} onClick={() => void discard()}>
            {t.doDiscard(copies.length)}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
