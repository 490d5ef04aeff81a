import type { GuardRatesView } from '@klaus/server/contract';
import { formatCount, formatDay, formatShare, formatUsd } from '../text/format.ts';
import { useGuardText } from '../text/guard-text.ts';

/** Days in the table, the latest ones. */
const MAX_DAYS = 14;

export function Rates({ rates }: { rates: GuardRatesView }) {
  const t = useGuardText();
  const { calls, denied, asked, blocked, reviewers, days } = rates;
  const sum = (name: 'appealed' | 'overturned' | 'usd') => reviewers.reduce((all, it) => all + it[name], 0);
  const figures = [
    { name: t.calls, value: formatCount(calls) },
    { name: t.denied, value: toShare(denied, calls), more: formatCount(denied) },
    { name: t.asked, value: toShare(asked, calls), more: formatCount(asked) },
    { name: t.blocked, value: formatCount(blocked) },
    { name: t.overturned, value: toShare(sum('overturned'), sum('appealed')), hint: t.overturnedHint },
    { name: t.cost, value: formatUsd(sum('usd')) },
  ];
  return (
    <section className="column guard-rates" aria-labelledby="guard-rates">
      <h2 id="guard-rates">{t.rates}</h2>
      <dl className="guard-figures">
        {figures.map(({ name, value, more, hint }) => (
          <div key={name} title={hint}>
            <dt className="small muted">{name}</dt>
            <dd>
              <strong className="number">{value}</strong>
              {more === undefined ? null : <span className="small muted number"> {more}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <div className="guard-tables">
        {reviewers.length === 0 ? null : (
          <Table
            name={t.byReviewer}
            head={[t.reviewer, t.reviews, t.denied, t.overturned, t.usd]}
            rows={reviewers.map((it) => [
              it.reviewer,
              formatCount(it.reviews),
              formatCount(it.denied),
              toShare(it.overturned, it.appealed),
              formatUsd(it.usd),
            ])}
          />
        )}
        <Table
          name={t.byDay}
          head={[t.day, t.calls, t.denied, t.usd]}
          rows={days
            .slice(-MAX_DAYS)
            .toReversed()
            .map((it) => [formatDay(it.day), formatCount(it.calls), toShare(it.denied, it.calls), formatUsd(it.usd)])}
        />
      </div>
    </section>
  );
}

/** A dash without a total: no share exists. */
function toShare(part: number, total: number): string {
  return total === 0 ? '–' : formatShare(part / total);
}

function Table({ name, head, rows }: { name: string; head: string[]; rows: string[][] }) {
  return (
    <div className="guard-table" tabIndex={0} role="group" aria-label={name}>
      <table className="small">
        <thead>
          <tr>
            {head.map((it) => (
              <th key={it} scope="col">
                {it}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([first, ...cells]) => (
            <tr key={first}>
              <th scope="row">{first}</th>
              {cells.map((cell, at) => (
                <td key={at} className="number">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
