import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { closeOverlay } from '../state/overlay.ts';
import { go, toSession } from '../state/route.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** A form for an edited prompt, with which a fork begins. */
export function EditDialog({ session, message, text }: { session: string; message: string; text: string }) {
  const t = useText();
  const [value, setValue] = useState(text);
  const [then, setThen] = useState(false);
  const [isSending, setSending] = useState(false);
  const submit = async (event: { preventDefault(): void }) => {
    event.preventDefault();
    setSending(true);
    const forked = await attempt(() =>
      client.fork({
        params: { id: session },
        body: { before: message, text: value, files: then ? ('then' as const) : ('now' as const) },
      }),
    );
    setSending(false);
    if (!forked) return;
    closeOverlay();
    go(toSession(forked.session));
  };
  return (
    <Dialog title={t.conversation.edit} onClose={closeOverlay}>
      <form className="dialog-body column" onSubmit={(event) => void submit(event)}>
        <p className="muted">{t.conversation.editHint}</p>
        <textarea
          className="field"
          rows={8}
          data-first
          aria-label={t.conversation.editLabel}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <label className="check line">
          <input type="checkbox" checked={then} onChange={(event) => setThen(event.target.checked)} />
          {t.conversation.editFiles}
        </label>
        <div className="dialog-foot line">
          <Button onClick={closeOverlay}>{t.app.cancel}</Button>
          <Button type="submit" variant="primary" disabled={isSending || value.trim() === ''}>
            {t.conversation.fork}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
