import { CircleAlert, Info, X } from 'lucide-react';
import { useStore } from '../state/store.ts';
import { toasts } from '../state/toasts.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from './button.tsx';

/** Short words at the edge of the page. They are read out as they come. */
export function Toasts() {
  const t = useText();
  const all = useStore(toasts);
  return (
    <div className="toasts" role="log" aria-live="polite" aria-label={t.app.name}>
      {all.map(({ id, kind, text, detail, action }) => {
        const close = () => toasts.set(toasts.get().filter((it) => it.id !== id));
        return (
          <div key={id} className={`toast toast-${kind}`}>
            {kind === 'error' ? <CircleAlert size={16} className="bad" /> : <Info size={16} />}
            <div className="toast-words">
              <p>{text}</p>
              {detail === undefined ? null : <p className="muted">{detail}</p>}
            </div>
            {action ? (
              <Button
                look="quiet"
                onClick={() => {
                  action.run();
                  close();
                }}
              >
                {action.label}
              </Button>
            ) : null}
            <IconButton label={t.app.close} icon={<X size={14} />} onClick={close} />
          </div>
        );
      })}
    </div>
  );
}
