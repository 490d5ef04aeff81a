import type { DecisionView } from '@klaus/server/contract';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { toSubject } from '../conversation/subject.ts';
import { client } from '../state/client.ts';
import { toHash } from '../state/route.ts';
import { formatCount, formatTime } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Empty, Failed, Loading } from '../ui/empty.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { useQuery } from '../ui/use-query.ts';
import './gate.css';

const SHOWN = ['all', 'allow', 'ask', 'deny'] as const;
type Shown = (typeof SHOWN)[number];

/** The decisions of the gate, with the verdict of each rule. */
export function GateView({ session, seq }: { session: string; seq: number }) {
  const t = useText();
  const [verdict, setVerdict] = useSavedState<Shown>(`gate ${session}`, 'all');
  const loaded = useQuery(`${session} ${seq}`, (signal) => client.decisions({ params: { id: session } }, { signal }));
  const all = loaded.value?.decisions ?? [];
  const shown = verdict === 'all' ? all : all.filter((it) => it.verdict === verdict);
  const count = (it: Shown) => (it === 'all' ? all.length : all.filter((each) => each.verdict === it).length);
  return (
    <section className="pane" aria-label={t.gate.title}>
      <div className="pane-head">
        <div className="segments" role="group" aria-label={t.gate.verdict}>
          {SHOWN.map((it) => (
            <button key={it} type="button" aria-pressed={it === verdict} onClick={() => setVerdict(it)}>
              {t.gate.shown[it]} <span className="number">{loaded.value ? formatCount(count(it)) : ''}</span>
            </button>
          ))}
        </div>
      </div>
      {loaded.error === undefined ? null : <Failed title={t.app.failed} error={loaded.error} retry={loaded.refetch} />}
      {!loaded.value && loaded.error === undefined ? <Loading rows={8} /> : null}
      {loaded.value && all.length === 0 ? <Empty title={t.gate.none} hint={t.gate.noneHint} /> : null}
      {all.length > 0 && shown.length === 0 ? <Empty title={t.gate.nothingShown} /> : null}
      {shown.length > 0 ? <Decisions decisions={shown} session={session} /> : null}
    </section>
  );
}

function Decisions({ decisions, session }: { decisions: readonly DecisionView[]; session: string }) {
  const t = useText();
  const scroll = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: decisions.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 60,
    getItemKey: (at) => decisions[at]!.seq,
    overscan: 6,
  });
  return (
    <div ref={scroll} className="gate-rows" tabIndex={0} role="group" aria-label={t.gate.title}>
      <ol style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            ref={list.measureElement}
            data-index={index}
            className="rows-row"
            style={{ transform: `translateY(${start}px)` }}
          >
            <Decision decision={decisions[index]!} session={session} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Decision({ decision, session }: { decision: DecisionView; session: string }) {
  const t = useText();
  const { seq, at, tool, input, verdict, rule, reason, findings, phase } = decision;
  const [isOpen, setOpen] = useSavedState(`decision ${session} ${seq}`, false);
  return (
    <article className="decision">
      <button type="button" className="call-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} className="fold-mark" />
        <span className={`verdict verdict-${verdict}`}>{t.call.verdict[verdict]}</span>
        <span className="call-name">{tool}</span>
        <span className="call-subject">
          {phase === 'changes' ? `${t.gate.ofChanges}: ` : ''}
          {toSubject(input)}
        </span>
      </button>
      <p className="decision-why muted">
        {rule}: {reason} ·{' '}
        <a href={toHash({ page: 'session', id: session, tab: 'conversation', seq })}>{t.call.open}</a> ·{' '}
        <time dateTime={new Date(at).toISOString()}>{formatTime(at)}</time>
      </p>
      {isOpen ? (
        <table className="findings">
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
                <td>{finding.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </article>
  );
}
