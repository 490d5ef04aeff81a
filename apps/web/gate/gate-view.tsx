import type { DecisionView } from '@klaus/server/contract';
import { ChevronRight, SquareArrowOutUpRight } from 'lucide-react';
import { toSubject } from '../conversation/subject.ts';
import { client } from '../state/client.ts';
import { toHash } from '../state/route.ts';
import { formatCount } from '../text/format.ts';
import { toReasonText } from '../text/run/reason-text.ts';
import { useText } from '../text/text.ts';
import { Empty, Pending } from '../ui/empty.tsx';
import { Time } from '../ui/time.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { useQuery } from '../ui/use-query.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import './gate.css';

const SHOWN = ['all', 'allow', 'ask', 'deny'] as const;
type Shown = (typeof SHOWN)[number];

export function GateView({ session, seq }: { session: string; seq: number }) {
  const t = useText();
  const [verdict, setVerdict] = useSavedState<Shown>(`gate ${session}`, 'all');
  const loaded = useQuery(`${session} ${seq}`, (signal) => client.decisions({ params: { id: session } }, { signal }));
  const all = loaded.value?.decisions ?? [];
  const shown = verdict === 'all' ? all : all.filter((it) => it.verdict === verdict);
  const count = (it: Shown) => (it === 'all' ? all.length : all.filter((each) => each.verdict === it).length);
  return (
    <section className="pane" aria-label={t.gate.title}>
      <div className="pane-head line ruled">
        <div className="segments" role="group" aria-label={t.gate.verdict}>
          {SHOWN.map((it) => (
            <button key={it} type="button" aria-pressed={it === verdict} onClick={() => setVerdict(it)}>
              {t.gate.shown[it]} <span className="number">{loaded.value ? formatCount(count(it)) : ''}</span>
            </button>
          ))}
        </div>
      </div>
      <Pending query={loaded} title={t.app.failed} rows={8} />
      {loaded.value && all.length === 0 ? <Empty title={t.gate.none} hint={t.gate.noneHint} /> : null}
      {all.length > 0 && shown.length === 0 ? <Empty title={t.gate.nothingShown} /> : null}
      {shown.length > 0 ? (
        <VirtualList
          label={t.gate.title}
          as="ol"
          count={shown.length}
          estimateSize={() => 40}
          getItemKey={(at) => shown[at]!.seq}
          overscan={6}
        >
          {(at) => <Decision decision={shown[at]!} session={session} />}
        </VirtualList>
      ) : null}
    </section>
  );
}

function Decision({ decision, session }: { decision: DecisionView; session: string }) {
  const t = useText();
  const { seq, at, tool, input, verdict, rule, reason, findings, phase } = decision;
  const why = toReasonText(reason, t);
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
          <span className={`verdict verdict-${verdict}`}>{t.call.verdict[verdict]}</span>
          <span className="call-name mono">{tool}</span>
          <span className="call-subject mono muted ellipsis grow">
            {phase === 'changes' ? `${t.gate.ofChanges}: ` : ''}
            {toSubject(input)}
          </span>
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
            {findings.map((finding, index) => (
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
    </article>
  );
}
