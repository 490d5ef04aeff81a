import { formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';

interface UsageChartProps {
  rows: readonly { name: string; usd: number | null }[];
  by: 'day' | 'model' | 'session' | 'agent';
}

/** Bars that are drawn; the table below has everything. */
const MAX_BARS = 40;
const WIDTH = 720;
const HEIGHT = 160;
const GAP = 4;

/** Costs as bars. Every figure stands in the table as well, so the picture is told in one line to those who do not see it. */
export function UsageChart({ rows, by }: UsageChartProps) {
  const t = useText();
  const shown = by === 'day' ? rows.slice(-MAX_BARS) : rows.slice(0, MAX_BARS);
  const most = Math.max(...shown.map(({ usd }) => usd ?? 0), 0);
  const width = Math.min(48, WIDTH / shown.length);
  return (
    <figure className="usage-chart">
      <figcaption className="muted">
        {t.usage.chart(t.usage[by])} · {formatUsd(most)}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={t.usage.chart(t.usage[by])}>
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="usage-axis" />
        {shown.map(({ name, usd }, at) => {
          const height = most === 0 ? 0 : Math.max(1, ((usd ?? 0) / most) * (HEIGHT - 8));
          return (
            <rect key={name} x={at * width} y={HEIGHT - height} width={Math.max(1, width - GAP)} height={height} rx="2">
              <title>
                {name}: {formatUsd(usd)}
              </title>
            </rect>
          );
        })}
      </svg>
    </figure>
  );
}
