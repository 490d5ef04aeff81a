import { host } from '../state/host.ts';
import { useAccess } from '../state/access.ts';
import { toHash } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { formatShare, formatShort, formatUsd, formatCost } from '../text/format.ts';
import { useUsageText } from '../text/usage/usage-text.ts';
import { type Figures, toCacheRate, toForecast } from './figures.ts';

interface SummaryProps {
  total: Omit<Figures, 'key'>;
  /** Of the last months. */
  days: readonly Figures[];
  /** Unix milliseconds. */
  now: number;
}

/** The figures of the period, and the forecast of this month. */
export function UsageSummary({ total, days, now }: SummaryProps) {
  const t = useUsageText();
  const rate = toCacheRate(total);
  return (
    <section className="usage-summary" aria-label={t.summary}>
      <div className="usage-card column">
        <h2 className="small muted">{t.period}</h2>
        <p className="usage-figure number">{formatCost(total.usd, total.heldUsd)}</p>
        <p className="small muted number">{t.requests(total.requests)}</p>
      </div>
      <div className="usage-card column">
        <h2 className="small muted">{t.cacheRate}</h2>
        <p className="usage-figure number">{rate === undefined ? '–' : formatShare(rate)}</p>
        <p className="small muted number">{t.cacheHint(formatShort(total.cacheReadTokens))}</p>
      </div>
      <Month days={days} now={now} />
    </section>
  );
}

function Month({ days, now }: Omit<SummaryProps, 'total'>) {
  const t = useUsageText();
  const { settings } = useStore(host);
  const isAdmin = useAccess('admin');
  const { spent, perDay, total } = toForecast(days, now);
  const plan = settings?.monthlyUsd ?? 0;
  const isOver = plan > 0 && total > plan;
  return (
    <div className="usage-card column">
      <h2 className="small muted">{t.month}</h2>
      <p className="usage-figure number">
        {formatUsd(spent)} {plan > 0 ? <span className="small muted">{t.plan(formatUsd(plan))}</span> : null}
      </p>
      {plan > 0 ? <PlanBar spent={spent} total={total} plan={plan} isOver={isOver} /> : null}
      <p className="small number" title={t.forecastHint(formatUsd(perDay))}>
        {t.forecast(formatUsd(total))}
        {plan > 0 ? (
          <span className={isOver ? 'bad' : 'good'}>{` · ${isOver ? t.over(formatUsd(total - plan)) : t.within}`}</span>
        ) : null}
      </p>
      <p className="small muted number">{t.forecastHint(formatUsd(perDay))}</p>
      {plan === 0 && isAdmin && settings?.hasSettings ? (
        <a className="small" href={toHash({ page: 'settings', section: 'budgets' })}>
          {t.setPlan}
        </a>
      ) : null}
    </div>
  );
}

/** The cost until now, and the forecast behind it. The sentence below has the same figures. */
function PlanBar({ spent, total, plan, isOver }: { spent: number; total: number; plan: number; isOver: boolean }) {
  const share = (usd: number) => `${Math.min(100, (usd / plan) * 100)}%`;
  return (
    <div className={`usage-plan ${isOver ? 'usage-over' : ''}`} aria-hidden>
      <span className="usage-plan-forecast" style={{ width: share(total) }} />
      <span className="usage-plan-spent" style={{ width: share(spent) }} />
    </div>
  );
}
