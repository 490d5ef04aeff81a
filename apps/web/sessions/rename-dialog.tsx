import { useState } from 'react';
import { renameSession } from '../actions/session-actions.ts';
import { host, sessionOf } from '../state/host.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

export function RenameDialog({ session }: { session: string }) {
  const t = useText();
  const [title, setTitle] = useState(sessionOf(host.get(), session)?.title ?? '');
  const submit = (event: { preventDefault(): void }) => {
    event.preventDefault();
    closeOverlay();
    if (title.trim() !== '') void renameSession(session, title.trim());
  };
  return (
    <Dialog title={t.sessions.rename} onClose={closeOverlay}>
      <form className="dialog-body column" onSubmit={submit}>
        <label>
          {t.sessions.renameLabel}
          <input
            className="field"
            data-first
            maxLength={200}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        <div className="dialog-foot line">
          <Button onClick={closeOverlay}>{t.app.cancel}</Button>
          <Button type="submit" variant="primary" disabled={title.trim() === ''}>
            {t.sessions.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
