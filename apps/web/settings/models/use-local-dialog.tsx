import type { LocalServerView } from '@klaus/server/contract';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { useText } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

/** Address, program and user of a program with models, and whether it may get texts. */
export function LocalServerFacts({ server }: { server: LocalServerView }) {
  const t = useSettingsText();
  const { address, isLoopback, program, user, isAllowed } = server;
  return (
    <p className="small muted wrap">
      <span className="mono">{address}</span> ·{' '}
      <span className={isLoopback ? '' : 'warn'}>{isLoopback ? t.models.here : t.models.elsewhere}</span> ·{' '}
      {t.models.owner(program, user)} · {isAllowed ? t.models.allowed : t.models.notAllowed}
    </p>
  );
}

interface UseProps {
  server: LocalServerView;
  /** What the answer changes. */
  text: string;
  onClose: () => void;
  onUse: () => void;
}

/** The question before the first use of a program. */
export function UseLocalDialog({ server, text, onClose, onUse }: UseProps) {
  const t = useSettingsText();
  const words = useText();
  return (
    <Dialog title={t.models.useTitle} onClose={onClose}>
      <div className="dialog-body column">
        <p>
          <strong>{server.title}</strong>
        </p>
        <LocalServerFacts server={server} />
        <p className="wrap">{text}</p>
        <div className="dialog-foot line">
          <Button data-first onClick={onClose}>
            {words.app.cancel}
          </Button>
          <Button variant="primary" onClick={onUse}>
            {t.models.useYes}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** The same question for one session. */
export function UseLocalOverlay({ model, ...props }: Omit<UseProps, 'text'> & { model: string }) {
  const t = useSettingsText();
  return <UseLocalDialog {...props} text={t.models.useHere(model)} />;
}
