import { Gauge } from 'lucide-react';
import { memo } from 'react';
import type { LimitEntry } from '@klaus/core/conversation';
import { formatLimit } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { answerApproval } from './answer.ts';
import { Chain } from './chain.tsx';
import './approval.css';

export const LimitPanel = memo(function LimitPanel({ entry }: { entry: LimitEntry }) {
  const t = useText();
  const { asked, answer } = entry;
  const { subject, approval } = asked;
  if (subject.kind !== 'limit') return null;
  const { limit, used, cap, offer } = subject;
  return (
    <section className="entry approval column" data-question={answer ? undefined : ''} aria-label={t.approval.goBeyond}>
      {answer ? null : <Chain asked={asked} />}
      <p className="approval-title line">
        <Gauge size={14} /> {t.approval.goBeyond}
      </p>
      <p className="muted">
        {t.approval.limit(t.limits[limit], formatLimit(limit, used), formatLimit(limit, cap))}{' '}
        {t.approval.offer(formatLimit(limit, offer))}
      </p>
      {answer ? (
        <p className={answer.answer === 'approved' ? 'good' : 'muted'}>
          {t.call.answer[answer.answer]} {t.call.by(answer.by)}
        </p>
      ) : (
        <div className="approval-foot line">
          <AnswerButtons onAnswer={(it) => void answerApproval(approval, { answer: it })} />
        </div>
      )}
    </section>
  );
});
