import { quoteShellWord } from '@klaus/core/quote-shell-word';
import { CircleCheck, ExternalLink, Upload } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { client } from '../state/client.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { CodeText } from '../ui/code-text.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useQuery } from '../ui/use-query.ts';
import { CallOutput, CallStatus } from './call-status.tsx';
import { useCalls } from './use-calls.ts';

/** The commit, its push, and how it becomes a pull request. */
export function CommitEnd({ session, output }: { session: string; output: string }) {
  const t = useChangesText().commit;
  const words = useText();
  // The branch may be a new one.
  const { value } = useQuery(session, (signal) => client.repository({ params: { id: session } }, { signal }));
  const { branch = null, remote = null } = value?.repository ?? {};
  const { state, run } = useCalls(session);
  const foot = useRef<HTMLDivElement>(null);
  const isPushed = state.kind === 'done';
  useEffect(() => {
    // The button that had the focus is gone, after the commit and after the push.
    foot.current?.querySelector<HTMLElement>('a, button')?.focus();
  }, [isPushed]);
  const canPush = remote !== null && branch !== null;
  const push = () => {
    if (!canPush) return;
    void run('push', () => client.push({ params: { id: session }, body: { remote: remote.name, branch } }));
  };
  return (
    <div className="dialog-body column">
      <p className="line" role="status">
        <CircleCheck size={16} className="good" aria-hidden />
        {isPushed ? t.pushed : t.done}
      </p>
      <CallOutput text={isPushed ? state.output : output} />
      {canPush && !isPushed ? <p className="muted">{t.pushHint(remote.url)}</p> : null}
      {value && remote === null ? (
        <p className="muted">
          <CodeText text={t.noRemote} />
        </p>
      ) : null}
      <CallStatus session={session} state={state} />
      {canPush && state.kind === 'failed' ? (
        <>
          <p>{t.pushElsewhere}</p>
          <PushCommand remote={remote.name} branch={branch} />
        </>
      ) : null}
      <div ref={foot} className="dialog-foot line">
        {isPushed && remote?.compare ? (
          <a className="button button-primary" href={remote.compare} target="_blank" rel="noreferrer">
            <ExternalLink size={14} aria-hidden />
            {t.openCompare}
          </a>
        ) : null}
        <Button data-first onClick={closeOverlay}>
          {words.app.close}
        </Button>
        {canPush && !isPushed ? (
          <Button needs="operator" icon={Upload} variant="primary" disabled={state.kind === 'running'} onClick={push}>
            {t.push(branch)}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** The command that pushes in a terminal. */
function PushCommand({ remote, branch }: { remote: string; branch: string }) {
  const t = useChangesText().commit;
  const command = `git push -u ${quoteShellWord(remote)} ${quoteShellWord(branch)}`;
  return (
    <p className="command line">
      <code className="grow wrap">{command}</code>
      <CopyButton text={command} label={t.copyPush} />
    </p>
  );
}
