import { CircleAlert, Info, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from '../state/store.ts';
import { closeToast, toasts, type Toast } from '../state/toasts.ts';
import { useText } from '../text/text.ts';
import { CodeText } from './code-text.tsx';
import { Button, IconButton } from './button.tsx';

/** Notifications at the edge of the page. Screen readers announce them. */
export function Toasts() {
  const t = useText();
  const all = useStore(toasts);
  return (
    <div className="toasts column" role="log" aria-live="polite" aria-label={t.app.name}>
      {all.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

/** Stays open while it is hovered or focused (WCAG 2.2.1), unless `isDue`. */
function ToastView({ toast }: { toast: Toast }) {
  const t = useText();
  const { id, kind, text, detail, action, lastsMs, isDue = false } = toast;
  const [isHeld, setHeld] = useState(false);
  const waits = isHeld && !isDue;
  useEffect(() => {
    if (lastsMs === undefined || waits) return undefined;
    const timer = setTimeout(() => closeToast(id), lastsMs);
    return () => clearTimeout(timer);
  }, [id, lastsMs, waits]);
  return (
    <div
      className="toast raised line"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {kind === 'error' ? <CircleAlert size={16} className="bad" /> : <Info size={16} />}
      <div className="toast-words line grow">
        <div className="toast-text">
          <p>
            <CodeText text={text} />
          </p>
          {detail === undefined ? null : (
            <p className="muted">
              <CodeText text={detail} />
            </p>
          )}
        </div>
        {action ? (
          <Button
            variant="quiet"
            onClick={() => {
              action.run();
              closeToast(id);
            }}
          >
            {action.label}
          </Button>
        ) : null}
      </div>
      <IconButton label={t.app.close} icon={X} onClick={() => closeToast(id)} />
    </div>
  );
}
