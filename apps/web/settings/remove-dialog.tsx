import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

interface RemoveDialogProps {
  title: string;
  text: string;
  /** The label of the button that removes it. */
  action: string;
  onClose: () => void;
  onRemove: () => void;
}

/** The question before something is removed. */
export function RemoveDialog({ title, text, action, onClose, onRemove }: RemoveDialogProps) {
  const words = useText();
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body column">
        <p>{text}</p>
        <div className="dialog-foot line">
          <Button onClick={onClose}>{words.app.cancel}</Button>
          <Button variant="danger" onClick={onRemove}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
