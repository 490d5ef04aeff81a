import type { UsageRowView } from '@klaus/server/contract';
import { useState } from 'react';
import { client } from '../state/client.ts';
import { host, nameOf } from '../state/host.ts';
import { toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { formatCount, formatShort, formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { BackButton } from '../ui/back-button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { type Period, PeriodSelect } from '../ui/period-select.tsx';
import { useQuery } from '../ui/use-query.ts';
import { UsageChart } from './usage-chart.tsx';
import './usage.css';

const WAYS = ['day', 'model', 'session', 'agent'] as const;
const DAY_MS = 86_400_000;

export function UsagePage() {
  const t = useText();
  const { sessions } = useStore(host);
  const [by, setBy] = useState<(typeof WAYS)[number]>('day');
  const [days, setDays] = useState<Period>(30);
  const loaded = useQuery(`${by} ${days}`, async (signal) => {
    const since = days === 0 ? {} : { since: Date.now() - days * DAY_MS };
    const answer = await client.usage({ query: { by, ...since } }, { signal });
    return { ...answer, by };
  });
  const toName = (key: string) => {
    const session = by === 'session' ? sessions.get(key) : undefined;
    return (session && nameOf(session)) ?? key;
  };
  const rows = loaded.value?.rows ?? [];
  return (
    <div className="pane">
      <header className="pane-head line ruled">
        <BackButton />
        <h1>{t.usage.title}</h1>
        <span className="grow" />
        <div className="segments" role="group" aria-label={t.usage.by}>
          {WAYS.map((it) => (
            <button key={it} type="button" aria-pressed={it === by} onClick={() => setBy(it)}>
              {t.usage[it]}
            </button>
          ))}
        </div>
        <PeriodSelect label={t.usage.since} days={days} onChange={setDays} />
      </header>
      <Pending query={loaded} title={t.usage.failed} rows={8} />
      {loaded.value && rows.length === 0 ? <Empty title={t.usage.none} hint={t.usage.noneHint} /> : null}
      {rows.length > 0 && loaded.value?.by === by ? (
        <div className="rows usage-body" tabIndex={0} role="group" aria-label={t.usage.title}>
          <UsageChart rows={rows.map(({ key, usd }) => ({ key, name: toName(key), usd }))} by={by} />
          <UsageTable rows={rows} by={by} toName={toName} />
        </div>
      ) : null}
    </div>
  );
}

interface TableProps {
  rows: readonly UsageRowView[];
  by: (typeof WAYS)[number];
  toName: (key: string) => string;
}

function UsageTable({ rows, by, toName }: TableProps) {
  const t = useText();
  const sum = (pick: (row: UsageRowView) => number) => rows.reduce((all, row) => all + pick(row), 0);
  const total = {
    usd: rows.some((row) => row.usd === null) ? null : sum((row) => row.usd ?? 0),
    requests: sum((row) => row.requests),
    inputTokens: sum((row) => row.inputTokens),
    outputTokens: sum((row) => row.outputTokens),
    cacheReadTokens: sum((row) => row.cacheReadTokens),
    cacheWriteTokens: sum((row) => row.cacheWriteTokens),
  };
  return (
    <div className="usage-table" tabIndex={0} role="group" aria-label={t.usage[by]}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.usage[by]}</th>
            {[t.usage.cost, t.usage.requests, t.usage.input, t.usage.output, t.usage.cacheRead, t.usage.cacheWrite].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row" className="ellipsis">
                {by === 'session' ? <a href={toHash(toSession(row.key))}>{toName(row.key)}</a> : toName(row.key)}
              </th>
              <Figures row={row} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t.usage.total}</th>
            <Figures row={total} />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function Figures({ row }: { row: Omit<UsageRowView, 'key' | 'broken' | 'abandoned'> }) {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = row;
  const tokens = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens];
  // The most important column first: narrow pages scroll horizontally.
  return [formatUsd(row.usd), formatCount(row.requests), ...tokens.map(formatShort)].map((figure, at) => (
    <td key={at} className="number">
      {figure}
    </td>
  ));
}
