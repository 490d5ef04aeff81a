import type { SessionFilter, SessionRow } from '@klaus/core/agent';
import { toAsciiLower } from '../queries/prefix-range.ts';
import type { ViewRow } from './view-part.ts';

const KEYS = {
  updated: (row: SessionRow) => row.updatedAt,
  created: (row: SessionRow) => row.createdAt,
  cost: (row: SessionRow) => row.costUsd ?? 0,
  title: (row: SessionRow) => toAsciiLower(row.title ?? ''),
} as const;

const ACTIVE: ReadonlySet<string> = new Set(['running', 'waiting']);

/** The rows as the query of the same name returns them. */
export function listRows(rows: ReadonlyMap<string, ViewRow>, filter: Omit<SessionFilter, 'search'> = {}): SessionRow[] {
  const { sort = 'updated', order = 'desc', limit = 50, before, workspace, archived, model } = filter;
  const { since, until, activeSince } = filter;
  const toKey = (row: SessionRow): [string | number, string] => [KEYS[sort](row), row.id];
  const sign = order === 'desc' ? -1 : 1;
  const last = before === undefined ? undefined : rows.get(before)?.row;
  if (before !== undefined && !last) return [];
  const found = [...rows.values()]
    .map(({ row }) => row)
    .filter(
      (row) =>
        (workspace === undefined || row.workspace === workspace) &&
        (archived === undefined || row.archived === archived) &&
        (model === undefined || row.model === model) &&
        (since === undefined || row.updatedAt >= since) &&
        (until === undefined || row.updatedAt < until) &&
        (activeSince === undefined || row.updatedAt >= activeSince || ACTIVE.has(row.status)) &&
        (!last || sign * compare(toKey(row), toKey(last)) > 0),
    )
    .toSorted((a, b) => sign * compare(toKey(a), toKey(b)));
  return limit < 0 ? found : found.slice(0, limit);
}

/** Compares by the first value that differs. */
export function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [at, value] of a.entries()) {
    if (value < b[at]!) return -1;
    if (value > b[at]!) return 1;
  }
  return 0;
}
