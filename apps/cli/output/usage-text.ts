import type { BudgetRow, Charged, UsageReport } from '@klaus/sdk';
import { formatCost, formatCount, formatNumber, formatUsd } from '@klaus/sdk/transcript';
import { toTable } from './table.ts';

/** The cost of requests to models, as a table and sentences. */
export function toUsageText(report: UsageReport): string {
  const { rows } = report;
  const total = sum(rows);
  const heldUsd = rows.reduce((all, row) => all + row.heldUsd, 0);
  const table =
    rows.length === 0
      ? 'No request to a model was charged.\n'
      : toTable([
          [report.by.toUpperCase(), 'REQUESTS', 'IN', 'FROM CACHE', 'OUT', 'COST'],
          ...rows.map((row) => [row.key, ...toCells(row, row.heldUsd)]),
          ...(rows.length > 1 ? [['total', ...toCells(total, heldUsd)]] : []),
        ]);
  const lines = [
    ...describeLost(
      'broke off and were charged for their prompt and the streamed output',
      sum(rows.map(({ broken }) => broken)),
    ),
    ...describeLost(
      'were open when their process ended and were charged with their reservation',
      sum(rows.map(({ abandoned }) => abandoned)),
    ),
    ...report.reserved.map(
      ({ session, purpose, model, tokens, usd }) =>
        `Reserved for a ${purpose} of session ${session}, ${model}: ${formatCount(tokens)} tokens, ${formatUsd(usd)}.`,
    ),
    ...(report.budget ?? []).map(describeBudget),
  ];
  return `${table}${lines.map((line) => `${line}\n`).join('')}`;
}

function toCells(row: Charged, heldUsd: number): string[] {
  const input = row.inputTokens + row.cacheReadTokens + row.cacheWriteTokens;
  return [
    formatCount(row.requests),
    formatCount(input),
    formatCount(row.cacheReadTokens),
    formatCount(row.outputTokens),
    formatCost(row.usd, heldUsd),
  ];
}

function describeLost(what: string, lost: Charged): string[] {
  if (lost.requests === 0) return [];
  const tokens = lost.inputTokens + lost.outputTokens + lost.cacheWriteTokens;
  return [
    `Of these ${formatNumber(lost.requests, 'request')} ${what}: ${formatCount(tokens)} tokens, ${formatUsd(lost.usd)}.`,
  ];
}

function describeBudget({ limit, cap, spent, reserved, held, lent, left, isEstimated }: BudgetRow): string {
  const show = (value: number | null): string =>
    limit === 'usd' ? formatUsd(value) : value === null ? 'unknown' : formatCount(value);
  const name = limit === 'usd' ? 'Dollars' : 'Tokens that count';
  const parts = [
    `${isEstimated ? '≈ ' : ''}${show(spent)} spent`,
    ...(reserved === 0 ? [] : [`${show(reserved)} reserved`]),
    ...(held === 0 ? [] : [`up to ${show(held)} more for work that was not streamed`]),
    ...(lent === 0 ? [] : [`${show(lent)} set aside for its sub-sessions`]),
    cap === 0 ? 'no limit' : `${show(left)} left of ${show(cap)}`,
  ];
  return `${name}: ${parts.join(', ')}.`;
}

function sum(rows: readonly Charged[]): Charged {
  const none = { requests: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return rows.reduce<Charged>(
    (all, row) => ({
      requests: all.requests + row.requests,
      inputTokens: all.inputTokens + row.inputTokens,
      outputTokens: all.outputTokens + row.outputTokens,
      cacheReadTokens: all.cacheReadTokens + row.cacheReadTokens,
      cacheWriteTokens: all.cacheWriteTokens + row.cacheWriteTokens,
      usd: all.usd === null || row.usd === null ? null : all.usd + row.usd,
    }),
    { ...none, usd: 0 },
  );
}
