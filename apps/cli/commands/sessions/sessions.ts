import { formatUsd } from '@klaus/sdk/transcript';
import { openClient } from '../../client/open-client.ts';
import type { ListedSession } from '@klaus/sdk/client';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'sessions',
  summary: 'list sessions, the newest first',
  server: 'both',
  declare: (declared) =>
    declared
      .argument('[search]', 'text in title, summary, folder or messages')
      .option('--json', 'one object per line')
      .option('--limit <count>', 'maximum number of sessions', integer(1, 100_000), 50)
      .option('--here', 'only those of this folder'),
  async run(search: string | undefined, options: Options & { limit: number; here?: true }) {
    await using client = await openClient(options);
    const rows = await client.sessions({ search, limit: options.limit, here: options.here ?? false });
    printRows(options.json ? rows : toTree(rows), {
      json: options.json,
      head: ['ID', 'LAST', 'STATUS', 'COST', 'AGENT', 'TITLE', 'WORKSPACE'],
      toRow,
      empty:
        search === undefined
          ? 'There are no sessions yet. Start one with `klaus "prompt"`.'
          : `No session contains "${search}".`,
    });
  },
};

interface TreeRow extends ListedSession {
  /** Levels below a session of the list. */
  depth?: number;
}

/** Child sessions below their parent, in the order in which they were started. */
function toTree(rows: readonly ListedSession[]): TreeRow[] {
  const listed = new Set(rows.map(({ id }) => id));
  const isBelow = ({ parent, forkedFrom }: ListedSession): boolean =>
    parent !== null && forkedFrom === null && listed.has(parent);
  const children = Map.groupBy(rows.filter(isBelow), ({ parent }) => parent);
  const below = (row: ListedSession, depth: number): TreeRow[] => [
    { ...row, depth },
    ...(children.get(row.id) ?? [])
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .flatMap((child) => below(child, depth + 1)),
  ];
  return rows.filter((row) => !isBelow(row)).flatMap((row) => below(row, 0));
}

/** Marks before the title: the level of a child session, or a fork. */
function toMark({ depth = 0, parent, forkedFrom }: TreeRow): string {
  if (forkedFrom !== null) return '⑂ ';
  return parent === null ? '' : `${'  '.repeat(Math.max(0, depth - 1))}└ `;
}

function toRow(row: TreeRow): string[] {
  return [
    row.id,
    row.updatedAt.slice(0, 16).replace('T', ' '),
    [row.status, ...(row.processes ?? [])].join(' +'),
    formatUsd(row.costUsd),
    row.agentType,
    `${toMark(row)}${row.title ?? row.firstPrompt ?? ''}`,
    row.workspace,
  ];
}
