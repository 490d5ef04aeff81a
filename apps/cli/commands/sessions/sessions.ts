import { toLine } from '@klaus/sdk/printable';
import type { SessionState } from '@klaus/sdk/session-states';
import { formatUsd } from '@klaus/sdk/transcript';
import { toRemark } from '../../board/board-lines.ts';
import { openClient } from '../../client/open-client.ts';
import { openStates, readStates } from '../../client/session-states.ts';
import type { ListedSession } from '@klaus/sdk/client';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import { UsageError } from '../../program/cli-error.ts';
import { type Options, toGivenServer } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'sessions',
  summary: 'list sessions, the newest first',
  server: 'both',
  declare: (declared) =>
    declared
      .argument('[search]', 'text in title, summary, folder or messages')
      .option('--json', 'one object per line')
      .option('--limit <count>', 'maximum number of sessions', integer(1, 100_000), 50)
      .option('--all', 'all of them, without a maximum')
      .option('--here', 'only those of this folder')
      .option('-v, --verbose', 'also the model, and what a session waits for or its last line; on this machine only'),
  async run(search: string | undefined, options: SessionsOptions) {
    const isVerbose = options.verbose ?? false;
    if (isVerbose && toGivenServer(options) !== undefined)
      throw new UsageError('--verbose concerns sessions of this machine.', 'Leave it out, or leave out --server.');
    await using client = await openClient(options);
    const limit = options.all ? ALL : options.limit;
    const rows = await client.sessions({ search, limit, here: options.here ?? false });
    using states = isVerbose ? await openStates() : undefined;
    const toDetails = ({ id }: ListedSession) => readStates(states, [id])[0];
    printRows(options.json ? rows.map((row) => ({ ...row, ...pickDetails(toDetails(row)) })) : toTree(rows), {
      json: options.json,
      head: ['ID', 'LAST', 'STATUS', 'COST', 'AGENT', ...(isVerbose ? ['MODEL', 'NOW'] : []), 'TITLE', 'WORKSPACE'],
      toRow: (row) => toRow(row, isVerbose ? toDetails(row) : undefined),
      empty:
        search === undefined
          ? 'There are no sessions yet. Start one with `klaus "prompt"`.'
          : `No session contains "${search}".`,
    });
  },
};

interface SessionsOptions extends Options {
  limit: number;
  all?: true;
  here?: true;
  verbose?: true;
}

/** Characters of what a session does now. */
const NOW_WIDTH = 60;

/** More sessions than any state folder has. */
const ALL = 1_000_000_000;

function pickDetails(state: SessionState | undefined): Partial<SessionState> {
  if (state === undefined) return {};
  const { model, lastLine, waitsFor, problem } = state;
  return { model, lastLine, waitsFor, problem };
}

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

function toRow(row: TreeRow, details: SessionState | undefined): string[] {
  return [
    row.id,
    row.updatedAt.slice(0, 16).replace('T', ' '),
    [row.status, ...(row.processes ?? [])].join(' +'),
    formatUsd(row.costUsd),
    row.agentType,
    ...(details === undefined ? [] : [details.model ?? '', toLine(toRemark(details), NOW_WIDTH)]),
    `${toMark(row)}${row.title ?? row.firstPrompt ?? ''}`,
    row.workspace,
  ];
}
