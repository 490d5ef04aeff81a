import type { UsageGroup } from '@klaus/server/contract';
import { formatDay, formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { toBars, toScale, type Bar } from './bars.ts';

interface UsageChartProps {
  rows: readonly { key: string; name: string; usd: number | null }[];
  by: UsageGroup;
}

/** Maximum number of days, and of other rows, in the chart. The table below has all of them. */
const MAX_DAYS = 90;
const MAX_ROWS = 12;

/** A bar chart of the cost. Screen readers get only its title, because the table has the same values. */
export function UsageChart({ rows, by }: UsageChartProps) {
  const t = useText();
  const label = t.usage.chart[by];
  return (
    <figure className="usage-chart">
      <figcaption className="muted">{label}</figcaption>
      <div role="img" aria-label={label}>
        {by === 'day' ? <Days rows={rows} /> : <Rows bars={rows.slice(0, MAX_ROWS)} />}
      </div>
    </figure>
  );
}

/** One column per day, including days without usage. */
function Days({ rows }: Pick<UsageChartProps, 'rows'>) {
  const bars = toBars(rows, MAX_DAYS);
  const { top, marks, digits } = toScale(Math.max(0, ...bars.map(({ usd }) => usd ?? 0)));
  return (
    <div className="usage-days small">
      <div className="usage-marks number column muted" aria-hidden>
        {marks.toReversed().map((mark) => (
          <span key={mark}>{formatUsd(mark, digits)}</span>
        ))}
      </div>
      <div className="usage-columns">
        {bars.map((bar) => (
          <div key={bar.key} className="usage-column" title={toTitle(bar)}>
            <span style={{ height: `${toShare(bar.usd, top)}%` }} />
          </div>
        ))}
      </div>
      <div className="usage-dates muted number" aria-hidden>
        <span>{formatDay(bars[0]?.key)}</span>
        {bars.length > 2 ? <span>{formatDay(bars.at(-1)?.key)}</span> : null}
      </div>
    </div>
  );
}

function Rows({ bars }: { bars: readonly Bar[] }) {
  const top = Math.max(0, ...bars.map(({ usd }) => usd ?? 0));
  return (
    <div className="usage-rows">
      {bars.map((bar) => (
        <div key={bar.key} title={toTitle(bar)}>
          <span className="ellipsis" dir="auto">
            {bar.name}
          </span>
          <span className="usage-track">
            <span style={{ width: `${toShare(bar.usd, top)}%` }} />
          </span>
          <span className="number">{formatUsd(bar.usd)}</span>
        </div>
      ))}
    </div>
  );
}

function toTitle({ name, usd }: Bar): string {
  return `${name}: ${formatUsd(usd)}`;
}

/** Percentage of the height. Any cost is at least 1 %, so that it is visible. */
function toShare(usd: number | null, top: number): number {
  if (!usd || top === 0) return 0;
  return Math.max(1, (usd / top) * 100);
}
