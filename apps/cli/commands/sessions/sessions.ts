import { formatUsd } from '@klaus/sdk/transcript';
import { openClient } from '../../client/open-client.ts';
import type { ListedSession } from '../../client/session-client.ts';
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
    printRows(rows, {
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

function toRow(row: ListedSession): string[] {
  return [
    row.id,
    row.updatedAt.slice(0, 16).replace('T', ' '),
    [row.status, ...(row.processes ?? [])].join(' +'),
    formatUsd(row.costUsd),
    row.agentType,
    `${row.forkedFrom === null ? '' : '⑂ '}${row.title ?? row.firstPrompt ?? ''}`,
    row.workspace,
  ];
}
