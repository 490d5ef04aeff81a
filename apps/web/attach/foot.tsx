import { closeOverlay } from '../state/overlay.ts';
import { useAttachText } from '../text/attach/attach-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';

interface FootProps {
  /** Undefined: nothing can be attached. */
  onAttach: (() => void) | undefined;
  /** Returns to the list. Absent: there is none. */
  onBack?: () => void;
}

/** The buttons of a form. */
export function Foot({ onAttach, onBack }: FootProps) {
  const t = useAttachText();
  const { app } = useText();
  return (
    <div className="dialog-foot line">
      <Button onClick={onBack ?? closeOverlay}>{onBack ? t.choose : app.cancel}</Button>
      <Button variant="primary" needs="operator" disabled={!onAttach} onClick={onAttach}>
        {t.attach}
      </Button>
    </div>
  );
}
