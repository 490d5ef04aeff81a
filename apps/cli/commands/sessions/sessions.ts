import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toLine } from '@klaus/sdk/printable';
import type { SessionState, SessionStateName, SessionStates } from '@klaus/sdk/session-states';
import { formatUsd } from '@klaus/sdk/format';
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
      .option('--claude-code', 'also the active sessions that Claude Code itself keeps; on this machine only')
      .option('-v, --verbose', 'also the model, and what a session waits for or its last line; on this machine only'),
  async run(search: string | undefined, options: SessionsOptions) {
    const isVerbose = options.verbose ?? false;
    const isRemote = toGivenServer(options) !== undefined;
    if (isVerbose && isRemote)
      throw new UsageError('--verbose concerns sessions of this machine.', 'Leave it out, or leave out --server.');
    if (options.claudeCode && isRemote)
      throw new UsageError('--claude-code concerns this machine.', 'Leave it out, or leave out --server.');
    using states = isRemote ? undefined : await openStates();
    const own = (await canListStates(search, options)) ? listStates(states, options) : await list(search, options);
    const rows = [...(options.claudeCode ? await listOfClaude(search) : []), ...own];
    const toDetails = ({ id }: ListedSession) => (isVerbose ? readStates(states, [id])[0] : undefined);
    printRows(options.json ? rows.map((row) => ({ ...row, ...pickDetails(toDetails(row)) })) : toTree(rows), {
      json: options.json,
      head: ['ID', 'LAST', 'STATUS', 'COST', 'AGENT', ...(isVerbose ? ['MODEL', 'NOW'] : []), 'TITLE', 'WORKSPACE'],
      toRow: (row) => toRow(row, toDetails(row)),
      empty:
        search === undefined
          ? 'There are no sessions yet. Start one with `klaus "prompt"`.'
          : `No session contains "${search}".`,
    });
  },
};

/** Those of Claude Code whose name, id or folder contains the text. */
async function listOfClaude(search = ''): Promise<ListedSession[]> {
  const { listClaudeSessions } = await import('../../client/claude-sessions.ts');
  const all = await listClaudeSessions();
  return all.filter(({ id, title, workspace }) => [id, title, workspace].some((text) => text?.includes(search)));
}

function toLimit({ all, limit }: SessionsOptions): number {
  return all ? ALL : limit;
}

async function list(search: string | undefined, options: SessionsOptions): Promise<ListedSession[]> {
  await using client = await openClient(options);
  return await client.sessions({ search, limit: toLimit(options), here: options.here ?? false });
}

/** True if the list needs nothing of the engine: background processes are then known not to exist. */
async function canListStates(search: string | undefined, options: SessionsOptions): Promise<boolean> {
  if (search !== undefined || options.here || options.json || toGivenServer(options) !== undefined) return false;
  const { toHome } = await import('@klaus/sdk/home');
  const folder = join(toHome(process.env, process.cwd()), 'processes');
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

function listStates(states: SessionStates | undefined, options: SessionsOptions): ListedSession[] {
  return (states?.list({ limit: toLimit(options), lines: false }) ?? []).map(({ agent, state, ...session }) => ({
    ...session,
    agentType: agent,
    status: toListedStatus(state, session.outcome),
  }));
}

/** As `klaus sessions` names it. */
function toListedStatus(state: SessionStateName, outcome: string | null): string {
  if (state === 'needs-you') return 'waiting';
  if (state === 'idle') return 'new';
  return state === 'done' || state === 'failed' ? (outcome ?? state) : state;
}

interface SessionsOptions extends Options {
  limit: number;
  all?: true;
  here?: true;
  claudeCode?: true;
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
