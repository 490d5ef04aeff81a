import type { GuardDecisionView } from '@klaus/server/contract';
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { formatUsd } from '../text/format.ts';
import { useGuardText } from '../text/guard-text.ts';
import { useText } from '../text/text.ts';
import { Time } from '../ui/time.tsx';
import { toDeciderName } from './decider-name.ts';

export function Decision({ decision }: { decision: GuardDecisionView }) {
  const t = useGuardText();
  const words = useText();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { seq, at, workspace, tool, text, verdict, decider, reason } = decision;
  return (
    <li className="guard-decision ruled" data-seq={seq} data-verdict={verdict}>
      <button
        type="button"
        className="call-head bare line"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronRight size={14} className="fold-mark muted" />
        <span className={`verdict verdict-${verdict}`}>{words.call.verdict[verdict]}</span>
        <span className="call-name mono">{tool ?? t.endOfTurn}</span>
        <span className="call-subject mono muted ellipsis grow">{text}</span>
      </button>
      <p className="guard-why small muted">
        {toDeciderName(decider, t)}: {reason} · <span title={workspace}>{workspace.split('/').at(-1)}</span> ·{' '}
        <Time at={at} />
      </p>
      <div id={id}>{isOpen ? <Details decision={decision} /> : null}</div>
    </li>
  );
}

function Details({ decision }: { decision: GuardDecisionView }) {
  const t = useGuardText();
  const { seq, workspace, guarded, agent, text, rule, reason, reviews } = decision;
  const facts = [
    [t.decision, String(seq)],
    [t.rule, rule],
    [t.reason, reason],
    [t.project, workspace],
    [t.session, guarded],
    ...(agent === null ? [] : [[t.subagent, agent]]),
  ];
  return (
    <div className="guard-details column small">
      <pre className="mono wrap">{text}</pre>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="muted">{name}</dt>
            <dd className="wrap">{value}</dd>
          </div>
        ))}
      </dl>
      {reviews.length === 0 ? null : (
        <div className="guard-table" tabIndex={0} role="group" aria-label={t.reviewsOf}>
          <table>
            <thead>
              <tr>
                {[t.reviewer, t.outcome, t.by, t.usd, t.reason].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {reviews.map((review, at) => (
                <tr key={at}>
                  <th scope="row" className="mono">
                    {review.reviewer}
                  </th>
                  <td>{t.outcomes[review.outcome]}</td>
                  <td>{toSource(review.decidedBy, t.sources)}</td>
                  <td className="number">{review.usd === null ? '–' : formatUsd(review.usd)}</td>
                  <td>{review.reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function toSource(decidedBy: string, sources: Record<'rules' | 'model' | 'unavailable', string>): string {
  return Object.hasOwn(sources, decidedBy) ? sources[decidedBy as keyof typeof sources] : decidedBy;
}
