import { Gauge } from 'lucide-react';
import type { LimitEntry } from '../log/entry.ts';
import { formatLimit } from '../conversation/format-limit.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { answerApproval } from './answer.ts';
import './approval.css';

/** The question about raising a limit. */
export function LimitPanel({ entry }: { entry: LimitEntry }) {
  const t = useText();
  const { asked, answer } = entry;
  const { subject, approval } = asked;
  if (subject.kind !== 'limit') return null;
  const { limit, used, cap, offer } = subject;
  return (
    <section className="entry approval" data-question={answer ? undefined : ''} aria-label={t.approval.goBeyond}>
      <p className="approval-title">
        <Gauge size={14} /> {t.approval.goBeyond}
      </p>
      <p className="muted">
        {t.approval.limit(t.limits[limit], formatLimit(limit, used), formatLimit(limit, cap))}{' '}
        {t.approval.offer(formatLimit(limit, offer))}
      </p>
      {answer ? (
        <p className={answer.answer === 'approved' ? 'good' : 'bad'}>
          {t.call.answer[answer.answer]} {t.call.by(answer.by)}
        </p>
      ) : (
        <div className="approval-foot">
          <Button
            variant="danger"
            data-answer="rejected"
            keys="D"
            onClick={() => void answerApproval(approval, { answer: 'rejected' })}
          >
            {t.approval.reject}
          </Button>
          <Button
            variant="primary"
            data-answer="approved"
            keys="A"
            onClick={() => void answerApproval(approval, { answer: 'approved' })}
          >
            {t.approval.approve}
          </Button>
        </div>
      )}
    </section>
  );
}
