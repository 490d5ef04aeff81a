import { useEffect, useState } from 'react';
import { CallApproval } from '../review/call-approval.tsx';
import { host, sessionOf } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import type { CallsState } from './use-calls.ts';

/** What a call of the user does, the question that it waits for, and why it failed. */
export function CallStatus({ session, state }: { session: string; state: CallsState }) {
  const t = useChangesText().commit;
  const isBusy = sessionOf(useStore(host), session)?.state === 'running';
  const [running, setRunning] = useState('');
  useEffect(() => {
    if (state.kind !== 'running') return setRunning('');
    setRunning(state.asked ? t.asked : isBusy ? t.waits : t.running[state.step]);
  }, [state, isBusy, t]);
  return (
    <>
      <p role="status" className="muted">
        {running}
      </p>
      {state.kind === 'running' && state.asked ? <CallApproval asked={state.asked} /> : null}
      {state.kind === 'failed' ? (
        <div role="alert" className="column">
          <p className="bad">{t.stepFailed[state.step]}</p>
          <CallOutput text={state.output} />
        </div>
      ) : null}
    </>
  );
}

/** What Git printed. */
export function CallOutput({ text }: { text: string }) {
  const t = useChangesText().commit;
  return (
    <pre className="commit-output wrap" tabIndex={0} aria-label={t.output}>
      {text}
    </pre>
  );
}
