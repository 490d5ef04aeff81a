import { useRenderText } from '../text/render/render-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

interface ScriptsDialogProps {
  onClose: () => void;
  onRun: () => void;
}

/** Asks before the scripts of a document run: what they can do, and what they cannot. */
export function ScriptsDialog({ onClose, onRun }: ScriptsDialogProps) {
  const t = useRenderText().preview;
  const words = useText();
  return (
    <Dialog title={t.ask} onClose={onClose}>
      <div className="dialog-body column">
        <p>{t.can}</p>
        <p className="muted">{t.cannot}</p>
        <div className="dialog-foot line">
          <Button data-first onClick={onClose}>
            {words.app.cancel}
          </Button>
          <Button variant="danger" onClick={onRun}>
            {t.run}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
