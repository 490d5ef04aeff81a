import { Gauge } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Conversation, LimitEntry } from '@klaus/core/conversation';
import type { EventOf } from '@klaus/core/protocol';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { formatLimit } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { answerApproval } from './answer.ts';
import { Chain } from './chain.tsx';
import { round, toAmounts, toCause, toNeed } from './limit-cause.ts';
import { AnswerLetters, QuestionCard } from './question-card.tsx';
import { useVisibleQuestion } from './visible-questions.ts';
import './approval.css';

type LimitSubject = Extract<EventOf<'approval.asked'>['subject'], { kind: 'limit' }>;

interface LimitPanelProps {
  entry: LimitEntry;
  conversation: Conversation;
}

/** The question whether to raise a limit: what is used, what the next step needs, the cause, and the amounts. */
export function LimitPanel({ entry, conversation }: LimitPanelProps) {
  const { asked } = entry;
  const element = useRef<HTMLDivElement>(null);
  useVisibleQuestion(asked.approval, element);
  return (
    <div ref={element}>
      {asked.subject.kind === 'limit' ? (
        <Limit entry={entry} conversation={conversation} subject={asked.subject} />
      ) : null}
    </div>
  );
}

function Limit({ entry, conversation, subject }: LimitPanelProps & { subject: LimitSubject }) {
  const t = useText();
  const { asked, answer } = entry;
  const { limit } = subject;
  const title = t.approval.goBeyond(subject);
  const need = toNeed(subject);
  return (
    <QuestionCard isOpen={!answer} className="entry" label={title}>
      {answer ? null : <Chain asked={asked} />}
      <h3 className="approval-title line">
        <Gauge size={14} /> {title}
      </h3>
      {need === undefined ? null : (
        <p>{t.approval.limitNeed(t.approval.amounts[limit](formatLimit(limit, round(limit, need))))}</p>
      )}
      {answer ? (
        <p className={answer.answer === 'approved' ? 'good' : 'muted'}>
          {t.call.answer[answer.answer]} {t.call.by(answer.by)}
        </p>
      ) : (
        <>
          <p className="muted">{toCause(limit, conversation, t)}</p>
          <Amounts asked={asked} subject={subject} />
          <AnswerLetters />
        </>
      )}
    </QuestionCard>
  );
}

function Amounts({ asked, subject: { limit, offer } }: { asked: EventOf<'approval.asked'>; subject: LimitSubject }) {
  const t = useText();
  const [amount, setAmount] = useState(offer);
  const [isSending, setSending] = useState(false);
  const reply = async (answer: 'approved' | 'rejected') => {
    setSending(true);
    // A higher limit also answers the question.
    if (answer === 'approved' && amount !== offer)
      await attempt(() =>
        client.changeSession({ params: { id: asked.session }, body: { limits: { [limit]: amount } } }),
      );
    else await answerApproval(asked.approval, { answer });
    setSending(false);
  };
  return (
    <div className="approval-foot line">
      <label className="approval-scope line">
        <span className="muted">{t.approval.raiseTo}</span>
        <select className="field" value={amount} onChange={(event) => setAmount(Number(event.target.value))}>
          {toAmounts(offer).map((it) => (
            <option key={it} value={it}>
              {formatLimit(limit, it)}
            </option>
          ))}
        </select>
      </label>
      <AnswerButtons isSending={isSending} onAnswer={(answer) => void reply(answer)} />
    </div>
  );
}
