import { ANSWER_KEYS } from '@klaus/core/conversation';
import { hunksOf, isHidden, type EventOf, type Scope } from '@klaus/core/protocol';
import { SquareTerminal } from 'lucide-react';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { overlay } from '../state/overlay.ts';
import { formatAgo } from '../text/format.ts';
import { toReasonText } from '../text/run/reason-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { useNow } from '../ui/use-now.ts';
import { useSavedState } from '../ui/use-saved-state.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { answerApproval } from './answer.ts';
import { Chain } from './chain.tsx';
import { ChangePreview } from './change-preview.tsx';
import { InputApproval } from './input-approval.tsx';
import { loadReview } from './load-review.ts';
import { PlanApproval } from './plan-approval.tsx';
import { AnswerLetters, QuestionCard } from './question-card.tsx';
import { toQuestionTitle } from './question-title.ts';
import { useVisibleQuestion } from './visible-questions.ts';
import './approval.css';

/** The question about a call, below the call. */
export function CallApproval({ asked }: { asked: EventOf<'approval.asked'> }) {
  const { subject, approval } = asked;
  const element = useRef<HTMLDivElement>(null);
  useVisibleQuestion(approval, element);
  return (
    <div ref={element}>
      {subject.kind === 'plan' ? <PlanApproval key={approval} asked={asked} plan={subject.plan} /> : null}
      {subject.kind === 'input' ? <InputApproval key={approval} asked={asked} question={subject} /> : null}
      {subject.kind === 'call' || subject.kind === 'changes' ? <CallQuestion asked={asked} subject={subject} /> : null}
    </div>
  );
}

/** Which calls an approval covers. */
const SCOPES = ['once', 'session', 'project'] as const;

type Asked = EventOf<'approval.asked'>;

interface CallQuestionProps {
  asked: Asked;
  subject: Extract<Asked['subject'], { kind: 'call' | 'changes' }>;
}

/** One card: what is asked, the command or the change in place, the reason and the answers. */
function CallQuestion({ asked, subject }: CallQuestionProps) {
  const t = useText();
  const now = useNow();
  const id = useId();
  const [scope, setScope] = useState<Scope>('once');
  const [note, setNote] = useSavedState(`note ${asked.approval}`, '');
  const [isSending, setSending] = useState(false);
  const { approval, expiresAt } = asked;
  const hunks = useMemo(() => hunksOf(asked), [asked]);
  const hasHunks = hunks.length > 0;
  const hasHidden = useMemo(() => hunks.some(isHidden), [hunks]);
  useEffect(() => {
    if (hasHunks) void loadReview();
  }, [hasHunks]);
  const canRemember = subject.kind === 'call' && subject.remember !== undefined;
  const reply = async (answer: 'approved' | 'rejected') => {
    setSending(true);
    await answerApproval(approval, { answer, note, ...(answer === 'approved' && scope !== 'once' ? { scope } : {}) });
    setSending(false);
  };
  // A lasting answer is chosen first, and then confirmed with Enter at its button.
  const onLetter = (key: string, card: HTMLElement): boolean => {
    const chosen = SCOPES.find((it) => it !== 'once' && ANSWER_KEYS[it] === key);
    if (chosen === undefined || !canRemember) return false;
    setScope(chosen);
    card.querySelector<HTMLElement>('[data-answer="approved"]')?.focus();
    return true;
  };
  return (
    <QuestionCard labelledBy={`${id}-title`} onLetter={onLetter}>
      <Chain asked={asked} />
      <h3 id={`${id}-title`} className="approval-title">
        {toQuestionTitle(asked, t)}
      </h3>
      <Subject subject={subject} />
      <ChangePreview asked={asked} />
      <p className="muted" title={t.approval.expires(formatAgo(expiresAt, now))}>
        {toReasonText(asked.reason, t)}
      </p>
      <label className="approval-note column">
        <span className="muted">{t.approval.note}</span>
        <input className="field" value={note} maxLength={2_000} onChange={(event) => setNote(event.target.value)} />
      </label>
      <div className="approval-foot line">
        {canRemember ? <ScopeChoice scope={scope} onChange={setScope} /> : null}
        {hasHunks ? (
          <Button
            data-answer="review"
            keys="alt+h"
            variant={hasHidden ? 'primary' : 'plain'}
            onClick={() => overlay.set({ kind: 'review', asked })}
          >
            {t.approval.review}
          </Button>
        ) : null}
        <AnswerButtons isSending={isSending} canApprove={!hasHidden} onAnswer={(answer) => void reply(answer)} />
      </div>
      <AnswerLetters hasReview={hasHunks} hasScopes={canRemember} />
    </QuestionCard>
  );
}

/** The command, and the scripts that it runs. */
function Subject({ subject }: Pick<CallQuestionProps, 'subject'>) {
  const t = useText();
  return (
    <>
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
    </>
  );
}

function ScopeChoice({ scope, onChange }: { scope: Scope; onChange: (scope: Scope) => void }) {
  const t = useText();
  return (
    <label className="approval-scope line">
      <span className="muted">{t.approval.scope}</span>
      <select className="field" value={scope} onChange={(event) => onChange(event.target.value as Scope)}>
        {SCOPES.map((it) => (
          <option key={it} value={it}>
            {t.approval.scopes[it]}
          </option>
        ))}
      </select>
    </label>
  );
}
