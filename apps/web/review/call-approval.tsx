import { hunksOf, type EventOf, type Scope } from '@klaus/core/protocol';
import { SquareTerminal } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { overlay } from '../state/overlay.ts';
import { formatAgo } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { useNow } from '../ui/use-now.ts';
import { useSavedState } from '../ui/use-saved-state.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { answerApproval } from './answer.ts';
import { Chain } from './chain.tsx';
import { InputApproval } from './input-approval.tsx';
import { loadReview } from './load-review.ts';
import { PlanApproval } from './plan-approval.tsx';
import './approval.css';

/** The question about a call, below the call. A change can be reviewed by hunk. */
export function CallApproval({ asked }: { asked: EventOf<'approval.asked'> }) {
  const t = useText();
  const now = useNow();
  const id = useId();
  const [scope, setScope] = useState<Scope>('once');
  const [note, setNote] = useSavedState(`note ${asked.approval}`, '');
  const [isSending, setSending] = useState(false);
  const { approval, subject, title, reason, expiresAt } = asked;
  const hasHunks = hunksOf(asked).length > 0;
  useEffect(() => {
    if (hasHunks) void loadReview();
  }, [hasHunks]);
  if (subject.kind === 'limit') return null;
  if (subject.kind === 'plan') return <PlanApproval key={approval} asked={asked} plan={subject.plan} />;
  if (subject.kind === 'input') return <InputApproval key={approval} asked={asked} question={subject} />;
  const canRemember = subject.kind === 'call' && subject.remember !== undefined;
  const reply = async (answer: 'approved' | 'rejected') => {
    setSending(true);
    await answerApproval(approval, { answer, note, ...(answer === 'approved' && scope !== 'once' ? { scope } : {}) });
    setSending(false);
  };
  return (
    <section className="approval column" data-question aria-labelledby={`${id}-title`}>
      <Chain asked={asked} />
      <p id={`${id}-title`} className="approval-title line">
        {title}
      </p>
      <p className="muted">
        {reason} · {t.approval.expires(formatAgo(expiresAt, now))}
      </p>
      {subject.command === undefined ? null : (
        <p className="command line">
          <SquareTerminal size={14} />
          <code className="grow wrap">{subject.command}</code>
        </p>
      )}
      {subject.kind === 'call' && subject.scripts ? (
        <p className="muted">
          {t.approval.scripts} {subject.scripts.map(({ path }) => path).join(', ')}
        </p>
      ) : null}
      <label className="approval-note column">
        <span className="muted">{t.approval.note}</span>
        <input className="field" value={note} maxLength={2_000} onChange={(event) => setNote(event.target.value)} />
      </label>
      <div className="approval-foot line">
        {canRemember ? (
          <label className="approval-scope line">
            <span className="muted">{t.approval.scope}</span>
            <select className="field" value={scope} onChange={(event) => setScope(event.target.value as Scope)}>
              {(['once', 'session', 'project'] as const).map((it) => (
                <option key={it} value={it}>
                  {t.approval.scopes[it]}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {hasHunks ? (
          <Button data-answer="review" keys="d" onClick={() => overlay.set({ kind: 'review', asked })}>
            {t.approval.review}
          </Button>
        ) : null}
        <AnswerButtons isSending={isSending} onAnswer={(answer) => void reply(answer)} />
      </div>
    </section>
  );
}
