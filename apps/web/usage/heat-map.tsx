import { useLayoutEffect, useRef } from 'react';
import { formatDay, formatUsd } from '../text/format.ts';
import { useUsageText } from '../text/usage/usage-text.ts';
import { type Figures, toHeatMap } from './figures.ts';

/** Weeks of the heat map. */
export const WEEKS = 26;
const LEVELS = [0, 1, 2, 3, 4] as const;

/** The cost of each day of the last weeks. Screen readers get the table, which has the same values. */
export function HeatMap({ days, now }: { days: readonly Figures[]; now: number }) {
  const t = useUsageText();
  const scroll = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // The latest weeks, where not all of them fit.
    scroll.current?.scrollTo({ left: scroll.current.scrollWidth });
  }, []);
  const weeks = toHeatMap(days, { now, weeks: WEEKS });
  return (
    <figure className="heat">
      <figcaption className="muted">{t.heat}</figcaption>
      <div ref={scroll} className="heat-scroll" tabIndex={0} role="group" aria-label={t.heat}>
        <div className="heat-weeks" role="img" aria-label={t.heat}>
          {weeks.map((week) => (
            <div key={week[0]!.day} className="heat-week">
              {week.map(({ day, usd, level }) => (
                <span key={day} data-level={level} title={t.heatDay(formatDay(day), formatUsd(usd))} />
              ))}
            </div>
          ))}
        </div>
        <div className="heat-dates muted small number" aria-hidden>
          <span>{formatDay(weeks[0]?.[0]?.day)}</span>
          <span>{formatDay(weeks.at(-1)?.at(-1)?.day)}</span>
        </div>
      </div>
      <div className="line heat-foot small muted">
        <span aria-hidden className="line heat-legend">
          {t.less}
          {LEVELS.map((level) => (
            <span key={level} data-level={level} />
          ))}
          {t.more}
        </span>
      </div>
      <details>
        <summary>{t.heatTable}</summary>
        <div className="heat-table" tabIndex={0} role="group" aria-label={t.heatTable}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t.week}</th>
                {weeks[0]!.map(({ day }) => (
                  <th key={day} scope="col">
                    {toWeekday(day)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeks.toReversed().map((week) => (
                <tr key={week[0]!.day}>
                  <th scope="row">{formatDay(week[0]!.day)}</th>
                  {week.map(({ day, usd }) => (
                    <td key={day} className="number">
                      {formatUsd(usd)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The short name of a weekday in the language of the page. */
function toWeekday(day: string): string {
  const { lang } = document.documentElement;
  return new Date(day).toLocaleDateString(lang, { weekday: 'short', timeZone: 'UTC' });
}
