import type { McpServerView, McpTestView } from '@klaus/server/contract';
import { CircleAlert, CircleCheck, CircleDashed } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../../actions/attempt.ts';
import { client } from '../../state/client.ts';
import { showToast } from '../../state/toasts.ts';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { Button } from '../../ui/button.tsx';
import { toReason } from '../../ui/empty.tsx';
import { RemoveDialog } from '../remove-dialog.tsx';
import { LoginDialog } from './login-dialog.tsx';
import { TestResult } from './test-result.tsx';
import { TrustDialog } from './trust-dialog.tsx';

interface McpRowProps {
  server: McpServerView;
  workspace: string | undefined;
  onChange: () => void;
}

/** One MCP server with its state and what can be done with it. */
export function McpRow({ server, workspace, onChange }: McpRowProps) {
  const t = useSettingsText();
  const { name, isTrusted, isAccepted, isHidden, isLoggedIn, problem } = server;
  const [dialog, setDialog] = useState<'trust' | 'login' | 'remove'>();
  const [isTesting, setTesting] = useState(false);
  const [result, setResult] = useState<McpTestView | { failure: string }>();
  const target = { params: { name }, query: { workspace } };
  const close = () => setDialog(undefined);
  const test = async () => {
    setTesting(true);
    setResult(undefined);
    try {
      setResult(await client.testMcpServer(target));
    } catch (error) {
      setResult({ failure: toReason(error) });
    } finally {
      setTesting(false);
    }
  };
  const remove = async () => {
    close();
    if (!(await attempt(() => client.removeMcpServer(target)))) return;
    showToast({ kind: 'info', text: t.mcp.removed(name), lastsMs: 6_000 });
    onChange();
  };
  const isFine = isTrusted && problem === null && !isHidden;
  const Icon = !isFine ? CircleDashed : isAccepted ? CircleCheck : CircleAlert;
  return (
    <li className="provider column" data-mcp={name} data-from={server.from}>
      <div className="line provider-head">
        <Icon size={16} aria-hidden className={!isFine ? 'muted' : isAccepted ? 'good' : 'warn'} />
        <div className="grow column">
          <h3>{name}</h3>
          <p className="small muted mono wrap">{server.place}</p>
          <McpState server={server} />
        </div>
        {isHidden ? null : (
          <div className="line provider-actions">
            {isTrusted ? (
              <Button
                needs="admin"
                disabled={isTesting || problem !== null}
                aria-label={t.mcp.testOf(name)}
                onClick={() => void test()}
              >
                {t.mcp.test}
              </Button>
            ) : null}
            <Button
              needs="admin"
              disabled={problem !== null}
              aria-label={isTrusted ? t.mcp.reviewOf(name) : t.mcp.trustOf(name)}
              onClick={() => setDialog('trust')}
            >
              {isTrusted ? t.mcp.review : t.mcp.trust}
            </Button>
            {isLoggedIn === null || !isTrusted ? null : (
              <Button needs="admin" aria-label={t.mcp.loginOf(name)} onClick={() => setDialog('login')}>
                {t.mcp.login}
              </Button>
            )}
            <Button
              needs="admin"
              variant="danger"
              aria-label={t.mcp.removeOf(name)}
              onClick={() => setDialog('remove')}
            >
              {t.mcp.remove}
            </Button>
          </div>
        )}
      </div>
      <div role="status">{isTesting ? <p className="small muted">{t.mcp.testing}</p> : null}</div>
      {result && 'failure' in result ? (
        <p role="alert" className="small bad wrap">
          {t.mcp.testFailed}: {result.failure}
        </p>
      ) : null}
      {result && !('failure' in result) ? <TestResult result={result} /> : null}
      {dialog === 'trust' ? <TrustDialog {...{ server, target }} onClose={close} onChange={onChange} /> : null}
      {dialog === 'login' ? <LoginDialog {...{ name, target }} onClose={close} onDone={onChange} /> : null}
      {dialog === 'remove' ? (
        <RemoveDialog
          title={t.mcp.removeTitle(name)}
          text={t.mcp.removeText}
          action={t.mcp.remove}
          onClose={close}
          onRemove={() => void remove()}
        />
      ) : null}
    </li>
  );
}

function McpState({ server }: { server: McpServerView }) {
  const t = useSettingsText();
  const { from, isTrusted, isAccepted, isHidden, isLoggedIn, variables, problem } = server;
  const facts = [
    t.mcp[from],
    ...(isTrusted ? [t.mcp.trusted] : []),
    ...(isLoggedIn === null ? [] : [isLoggedIn ? t.mcp.loggedIn : t.mcp.loggedOut]),
    ...(variables.length > 0 ? [t.mcp.gets(variables.join(', '))] : []),
  ];
  return (
    <>
      <p className="small muted wrap">{facts.join(' · ')}</p>
      {isTrusted ? null : <p className="small warn">{t.mcp.untrusted}</p>}
      {isTrusted && !isAccepted && !isHidden ? <p className="small warn">{t.mcp.unaccepted}</p> : null}
      {isHidden ? <p className="small warn">{t.mcp.hidden}</p> : null}
      {problem === null ? null : <p className="small bad wrap">{problem}</p>}
    </>
  );
}
