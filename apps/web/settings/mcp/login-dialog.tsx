import type { McpLoginView } from '@klaus/server/contract';
import { ExternalLink } from 'lucide-react';
import { useEffect, useState } from 'react';
import { client } from '../../state/client.ts';
import { showToast } from '../../state/toasts.ts';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { useText } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toReason } from '../../ui/empty.tsx';
import { TextField } from '../form-field.tsx';
import type { Target } from './trust-dialog.tsx';

/** Milliseconds between two looks at a login in progress. */
const LOOK_MS = 1_000;

interface LoginDialogProps {
  name: string;
  target: Target;
  onClose: () => void;
  onDone: () => void;
}

/** Starts a login, shows its address, and waits for its end. A closed dialog cancels it. */
export function LoginDialog({ name, target, onClose, onDone }: LoginDialogProps) {
  const t = useSettingsText();
  const words = useText();
  const [login, setLogin] = useState<McpLoginView>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (work: () => Promise<McpLoginView | null>): Promise<void> => {
      const next = await work();
      if (ended.signal.aborted || next === null) return;
      setLogin(next);
      if (next.state === 'waiting')
        timer = setTimeout(() => void look(async () => (await client.mcpLogin(target)).login).catch(fail), LOOK_MS);
    };
    const fail = (error: unknown): void => {
      if (!ended.signal.aborted) setFailure(toReason(error));
    };
    void look(() => client.startMcpLogin(target)).catch(fail);
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, []);
  const isDone = login?.state === 'done';
  useEffect(() => {
    if (!isDone) return;
    showToast({ kind: 'info', text: t.mcp.loginDone(name), lastsMs: 6_000 });
    onDone();
    onClose();
  }, [isDone]);
  const close = () => {
    void client.cancelMcpLogin(target).catch(() => undefined);
    onClose();
  };
  const send = async (address: string) => {
    setFailure(undefined);
    try {
      setLogin(await client.answerMcpLogin({ ...target, body: { address } }));
    } catch (error) {
      setFailure(toReason(error));
    }
  };
  const url = login?.state === 'waiting' ? login.url : null;
  const reason = failure ?? (login?.state === 'failed' ? login.message : undefined);
  return (
    <Dialog title={t.mcp.loginTitle(name)} className="mcp-dialog" onClose={close}>
      <div className="dialog-body column">
        {url === null ? null : (
          <>
            <div>
              <a className="button button-primary" href={url} target="_blank" rel="noreferrer noopener" data-first>
                <ExternalLink size={14} aria-hidden />
                {t.mcp.loginOpen}
              </a>
            </div>
            <p className="small muted wrap">{new URL(url).host}</p>
            <p>{t.mcp.loginHint}</p>
            <AnswerForm onSend={(address) => void send(address)} />
          </>
        )}
        <p role="status" className="small muted">
          {reason === undefined ? (url === null ? t.mcp.loginStarting : t.mcp.loginWaiting) : ''}
        </p>
        <div role="alert">
          {reason === undefined ? null : (
            <p className="bad wrap">
              {t.mcp.loginFailed}: {reason}
            </p>
          )}
        </div>
        <div className="dialog-foot line">
          <Button onClick={close}>{words.app.cancel}</Button>
        </div>
      </div>
    </Dialog>
  );
}

/** The address from a browser on another machine. */
function AnswerForm({ onSend }: { onSend: (address: string) => void }) {
  const t = useSettingsText();
  const [address, setAddress] = useState('');
  return (
    <form
      className="column"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(address.trim());
      }}
    >
      <TextField
        label={t.mcp.loginAddress}
        hint={t.mcp.loginOther}
        maxLength={8_192}
        value={address}
        onChange={setAddress}
      />
      <div>
        <Button type="submit" disabled={address.trim() === ''}>
          {t.mcp.loginSend}
        </Button>
      </div>
    </form>
  );
}
