import { USAGE_GROUPS, type UsageGroup } from '@klaus/server/contract';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { saveText } from '../actions/save-text.ts';
import { client } from '../state/client.ts';
import { host, nameOf } from '../state/host.ts';
import { go, toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { formatCost, formatCount, formatShort } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { useUsageText } from '../text/usage/usage-text.ts';
import { BackButton } from '../ui/back-button.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { type Period, PeriodSelect } from '../ui/period-select.tsx';
import { useQuery } from '../ui/use-query.ts';
import { type Figures, fillDays, sumFigures, toCsv, toDay } from './figures.ts';
import { HeatMap, WEEKS } from './heat-map.tsx';
import { UsageChart } from './usage-chart.tsx';
import { UsageSummary } from './usage-summary.tsx';
import './usage.css';

const DAY_MS = 86_400_000;

export function UsagePage() {
  const t = useText();
  const own = useUsageText();
  const { sessions } = useStore(host);
  const [by, setBy] = useState<UsageGroup>('day');
  const [days, setDays] = useState<Period>(30);
  const [now] = useState(Date.now);
  const loaded = useQuery(`${by} ${days}`, async (signal) => {
    const since = days === 0 ? {} : { since: now - days * DAY_MS };
    const answer = await client.usage({ query: { by, ...since } }, { signal });
    return { ...answer, by };
  });
  const recent = useQuery('recent', (signal) =>
    client.usage({ query: { by: 'day', since: now - WEEKS * 7 * DAY_MS } }, { signal }),
  );
  const toName = (key: string) => {
    const session = by === 'session' ? sessions.get(key) : undefined;
    return (session && nameOf(session)) ?? (key === '' ? own.noProject : key);
  };
  const found = loaded.value?.by === by ? loaded.value.rows : [];
  const from = days === 0 ? '' : toDay(now - (days - 1) * DAY_MS);
  const rows: readonly Figures[] = by === 'day' ? fillDays(found, { from, to: toDay(now) }) : found;
  const total = sumFigures(rows);
  const daysWithCost = (recent.value?.rows ?? []).filter(({ requests }) => requests > 0).length;
  const download = () => {
    const { usage } = t;
    const head = [usage[by], usage.cost, usage.requests, usage.input, usage.output, usage.cacheRead, usage.cacheWrite];
    const named = rows.map((row) => ({ ...row, key: toName(row.key) }));
    saveText(toCsv(head, named), { name: `klaus-usage-${by}-${toDay(now)}.csv`, type: 'text/csv' });
  };
  return (
    <div className="pane">
      <header className="pane-head line ruled usage-head">
        <BackButton />
        <h1>{t.usage.title}</h1>
        <span className="grow" />
        <div className="segments" role="group" aria-label={t.usage.by}>
          {USAGE_GROUPS.map((it) => (
            <button key={it} type="button" aria-pressed={it === by} onClick={() => setBy(it)}>
              {t.usage[it]}
            </button>
          ))}
        </div>
        <PeriodSelect label={t.usage.since} days={days} onChange={setDays} />
        <IconButton label={own.csv} icon={Download} iconSize={16} disabled={rows.length === 0} onClick={download} />
      </header>
      <Pending query={loaded} title={t.usage.failed} rows={8} />
      {loaded.value?.by === by && rows.length === 0 ? (
        <Empty title={t.usage.none} hint={t.usage.noneHint}>
          <Button needs="operator" onClick={() => go({ page: 'home' })}>
            {t.app.newSession}
          </Button>
        </Empty>
      ) : null}
      {rows.length > 0 ? (
        <div className="rows usage-body" tabIndex={0} role="group" aria-label={t.usage.title}>
          <UsageSummary total={total} days={recent.value?.rows ?? []} now={now} />
          {by === 'day' && daysWithCost < 2 ? (
            <p className="muted">{own.firstDay}</p>
          ) : (
            <UsageChart rows={rows.map(({ key, usd }) => ({ key, name: toName(key), usd }))} by={by} />
          )}
          {by === 'day' && recent.value && daysWithCost >= 2 ? <HeatMap days={recent.value.rows} now={now} /> : null}
          <UsageTable rows={by === 'day' ? rows.toReversed() : rows} by={by} total={total} toName={toName} />
        </div>
      ) : null}
    </div>
  );
}

interface TableProps {
  rows: readonly Figures[];
  by: UsageGroup;
  total: Omit<Figures, 'key'>;
  toName: (key: string) => string;
}

/** The roles are explicit: a narrow page shows each row as a list, which is no table for the browser. */
function UsageTable({ rows, by, total, toName }: TableProps) {
  const t = useText();
  const { usage } = t;
  const names = [usage.cost, usage.requests, usage.input, usage.output, usage.cacheRead, usage.cacheWrite];
  return (
    <div className="usage-table" tabIndex={0} role="group" aria-label={usage[by]}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              {usage[by]}
            </th>
            {names.map((name) => (
              <th key={name} role="columnheader" scope="col" title={name === usage.input ? t.budget.input : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.key} role="row">
              <th role="rowheader" scope="row" className="ellipsis">
                {by === 'session' ? <a href={toHash(toSession(row.key))}>{toName(row.key)}</a> : toName(row.key)}
              </th>
              <Cells row={row} names={names} />
            </tr>
          ))}
        </tbody>
        <tfoot role="rowgroup">
          <tr role="row">
            <th role="rowheader" scope="row">
              {usage.total}
            </th>
            <Cells row={total} names={names} />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** @param props.names Of the columns, which a narrow page shows at each figure. */
function Cells({ row, names }: { row: Omit<Figures, 'key'>; names: readonly string[] }) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = row;
  const tokens = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens];
  return [formatCost(row.usd, row.heldUsd), formatCount(row.requests), ...tokens.map(formatShort)].map((figure, at) => (
    <td key={at} role="cell" className="number" data-name={names[at]}>
      {figure}
    </td>
  ));
}
