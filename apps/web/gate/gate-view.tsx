import { ChevronRight, SquareArrowOutUpRight } from 'lucide-react';
import { useMemo } from 'react';
import { toSubject } from '../conversation/subject.ts';
import { client } from '../state/client.ts';
import { toHash } from '../state/route.ts';
import { toReasonText } from '../text/run/reason-text.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { Empty, Pending } from '../ui/empty.tsx';
import { Time } from '../ui/time.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { useQuery } from '../ui/use-query.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import { type DecisionFilter, type DecisionRow, matchDecision, NO_FILTER, toDecisionRows } from './decision-filter.ts';
import { GateFilters } from './gate-filters.tsx';
import { ApprovalScope } from './approval-scope.tsx';
import { RememberedApprovals } from './remembered-approvals.tsx';
import { useApprovals, type Approvals } from './use-approvals.ts';
import './gate.css';

interface GateViewProps {
  session: string;
  workspace: string;
  seq: number;
}

/** The decisions of the gate in order, and the approvals that stay valid. */
export function GateView({ session, workspace, seq }: GateViewProps) {
  const t = useText();
  const [filter, setFilter] = useSavedState<DecisionFilter>(`gate ${session}`, NO_FILTER);
  const loaded = useQuery(`${session} ${seq}`, (signal) => client.decisions({ params: { id: session } }, { signal }));
  const words = useChangesText();
  const approvals = useApprovals({ session, workspace, version: seq });
  const all = loaded.value?.decisions ?? [];
  const shown = useMemo(
    () => toDecisionRows(all.filter((it) => matchDecision(it, filter, (reason) => toReasonText(reason, t)))),
    [loaded.value, filter, t],
  );
  return (
    <section className="pane" aria-label={t.gate.title}>
      <GateFilters decisions={loaded.value?.decisions} filter={filter} onChange={setFilter} />
      <RememberedApprovals
        title={words.gate.ofSession}
        rows={approvals.given.filter(({ scope }) => scope === 'session')}
        onRevoke={(approval) => approvals.change(approval, 'once')}
      />
      <RememberedApprovals title={words.gate.remembered} rows={approvals.remembered} onRevoke={approvals.forget} />
      <Pending query={loaded} title={t.app.failed} rows={8} />
      {loaded.value && all.length === 0 ? <Empty title={t.gate.none} hint={t.gate.noneHint} /> : null}
      {all.length > 0 && shown.length === 0 ? <Empty title={t.gate.nothingShown} /> : null}
      {shown.length > 0 ? (
        <VirtualList
          label={t.gate.title}
          as="ol"
          count={shown.length}
          estimateSize={() => 40}
          getItemKey={(at) => shown[at]!.decision.seq}
          overscan={6}
        >
          {(at) => <Decision {...shown[at]!} session={session} approvals={approvals} />}
        </VirtualList>
      ) : null}
    </section>
  );
}

interface DecisionProps extends DecisionRow {
  session: string;
  approvals: Approvals;
}

function Decision({ decision, asked, session, approvals }: DecisionProps) {
  const t = useText();
  const { seq, at, tool, input, verdict, rule, reason, findings, phase } = decision;
  const words = useChangesText();
  const why = toReasonText(reason, t);
  const isApproval = verdict === 'allow' && rule === 'approval';
  const given = isApproval ? approvals.given.findLast(({ call }) => call === decision.call) : undefined;
  const [isOpen, setOpen] = useSavedState(`decision ${session} ${seq}`, false);
  return (
    <article className="decision ruled">
      <div className="decision-head line">
        <button
          type="button"
          className="call-head bare line grow"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight size={14} className="fold-mark muted" />
          {asked ? (
            <span className="decision-asked line">
              <span className="verdict verdict-ask">{t.call.verdict.ask}</span>
              <span aria-hidden className="muted">
                →
              </span>
            </span>
          ) : null}
          <span className={`verdict verdict-${verdict}`}>{t.call.verdict[verdict]}</span>
          <span className="call-name mono">{tool}</span>
          <span className="call-subject mono muted ellipsis grow">
            {phase === 'changes' ? `${t.gate.ofChanges}: ` : ''}
            {toSubject(input)}
          </span>
          {given && given.scope !== 'once' ? (
            <span className="verdict wide">{t.approval.scopes[given.scope]}</span>
          ) : null}
          <span className="decision-why small muted ellipsis wide" title={`${rule}: ${why}`}>
            {why}
          </span>
        </button>
        <a
          className="inline muted"
          href={toHash({ page: 'session', id: session, tab: 'conversation', seq })}
          aria-label={t.call.open}
          title={t.call.open}
        >
          <SquareArrowOutUpRight size={14} aria-hidden />
        </a>
        <span className="small">
          <Time at={at} />
        </span>
      </div>
      {isOpen && asked ? (
        <p className="decision-sentence">{words.gate.why.ask(toReasonText(asked.reason, t))}</p>
      ) : null}
      {isOpen ? <p className="decision-sentence">{words.gate.why[verdict](why)}</p> : null}
      {isOpen ? (
        <table className="findings small">
          <thead>
            <tr>
              <th scope="col">{t.gate.rule}</th>
              <th scope="col">{t.gate.verdict}</th>
              <th scope="col">{t.gate.reason}</th>
            </tr>
          </thead>
          <tbody>
            {[...(asked?.findings ?? []), ...findings].map((finding, index) => (
              <tr key={index}>
                <td className="mono">{finding.rule}</td>
                <td>
                  <span className={`verdict verdict-${finding.verdict}`}>{t.call.verdict[finding.verdict]}</span>
                </td>
                <td>{toReasonText(finding.reason, t)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {isOpen && given ? (
        <ApprovalScope given={given} onChange={(scope) => approvals.change(given.approval, scope)} />
      ) : null}
    </article>
  );
}
