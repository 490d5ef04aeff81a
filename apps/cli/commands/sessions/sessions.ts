import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { toLine } from '@klaus/sdk/printable';
import type { ListedState, SessionState, SessionStateName, SessionStates } from '@klaus/sdk/session-states';
import { formatUsd } from '@klaus/sdk/format';
import { toRemark } from '../../board/board-lines.ts';
import { readLastLines } from '../../client/last-lines.ts';
import { openClient } from '../../client/open-client.ts';
import { openStates } from '../../client/session-states.ts';
import type { ListedSession } from '@klaus/sdk/client';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import { UsageError } from '../../program/cli-error.ts';
import { type Options, toGivenServer } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'sessions',
  summary: 'list sessions, the newest first',
  examples: ['klaus sessions', 'klaus sessions "login test"'],
  server: 'both',
  declare: (declared) =>
    declared
      .argument('[search]', 'text in title, summary, folder or messages')
      .option('--json', 'one object per line')
      .option('--limit <count>', 'maximum number of sessions', integer(1, 100_000), 50)
      .option('--all', 'all of them, without a maximum')
      .option('--here', 'only those of this folder')
      .option('--archived', 'only archived sessions, which are not listed otherwise')
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
    const isLocal = await canListStates(search, options);
    const own = isLocal ? listStates(states, options) : await list(search, options);
    const all = options.claudeCode ? [...(await listOfClaude(search)), ...own] : own;
    const { rows, levels } = toTree(all, options);
    const lastLines = options.json || isVerbose ? new Map<string, string>() : readLastLines(rows, states);
    const details = isVerbose ? new Map(states?.get(rows.map(({ id }) => id)).map((state) => [state.id, state])) : null;
    printRows(
      options.json ? rows.map(({ lastLine: _, ...row }) => ({ ...row, ...pickDetails(details?.get(row.id)) })) : rows,
      {
        json: options.json,
        head: ['ID', 'LAST', 'STATUS', 'COST', 'AGENT', ...(isVerbose ? ['MODEL', 'NOW'] : []), 'TITLE', 'WORKSPACE'],
        toRow: (row) =>
          toRow(row, { level: levels.get(row.id), details: details?.get(row.id), lastLine: lastLines.get(row.id) }),
        empty:
          search === undefined
            ? 'There are no sessions yet. Start one with `klaus "prompt"`.'
            : `No session contains "${search}".`,
      },
    );
  },
};

/** Those of Claude Code whose name, id or folder contains the text. */
async function listOfClaude(search = ''): Promise<ListedSession[]> {
  const [{ listClaudeSessions }, { openInstances }] = await Promise.all([
    import('../../client/claude-sessions.ts'),
    import('@klaus/sdk'),
  ]);
  using instances = await openInstances();
  const all = await listClaudeSessions(instances.claudeBinary);
  return all.filter(({ id, title, workspace }) => [id, title, workspace].some((text) => text?.includes(search)));
}

function toLimit({ all, limit }: SessionsOptions): number {
  return all ? ALL : limit;
}

async function list(search: string | undefined, options: SessionsOptions): Promise<ListedSession[]> {
  await using client = await openClient(options);
  const { here = false, archived = false } = options;
  return await client.sessions({ search, limit: toLimit(options), here, archived });
}

/** True if the list needs nothing of the engine: background processes are then known not to exist. */
async function canListStates(search: string | undefined, options: SessionsOptions): Promise<boolean> {
  if (search !== undefined || options.here || options.json || toGivenServer(options) !== undefined) return false;
  const { toHome } = await import('@klaus/sdk/home');
  const folder = join(toHome(process.env, process.cwd()), 'processes');
  return !existsSync(folder) || readdirSync(folder).length === 0;
}

function listStates(states: SessionStates | undefined, options: SessionsOptions): ListedSession[] {
  return states?.listShort({ limit: toLimit(options), archived: options.archived ?? false }, toListed) ?? [];
}

/** Without a spread, which is slow where there are thousands of sessions. */
function toListed(session: ListedState): ListedSession {
  const { id, state, agent, costUsd, title, firstPrompt, workspace, parent, forkedFrom, outcome, updatedAt } = session;
  const status = toListedStatus(state, outcome);
  return { id, status, agentType: agent, costUsd, title, firstPrompt, workspace, parent, forkedFrom, updatedAt };
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
  archived?: true;
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

/**
 * Child sessions below their parent, in the order in which they were started. JSON keeps the newest first.
 *
 * @returns Also their levels below a session of the list; the others have none.
 */
function toTree(
  rows: readonly ListedSession[],
  { json }: SessionsOptions,
): { rows: readonly ListedSession[]; levels: ReadonlyMap<string, number> } {
  const levels = new Map<string, number>();
  const started = json ? [] : rows.filter(({ parent, forkedFrom }) => parent !== null && forkedFrom === null);
  if (started.length === 0) return { rows, levels };
  const listed = new Set(rows.map(({ id }) => id));
  const below = started.filter(({ parent }) => listed.has(parent!));
  const children = Map.groupBy(below, ({ parent }) => parent);
  const isBelow = new Set(below);
  const tree: ListedSession[] = [];
  const add = (row: ListedSession, level: number): void => {
    tree.push(row);
    if (level > 0) levels.set(row.id, level);
    const its = children.get(row.id) ?? [];
    for (const child of its.toSorted((a, b) => (a.id < b.id ? -1 : 1))) add(child, level + 1);
  };
  for (const row of rows) if (!isBelow.has(row)) add(row, 0);
  return { rows: tree, levels };
}

/** Marks before the title: the level of a child session, or a fork. */
function toMark({ parent, forkedFrom }: ListedSession, level = 0): string {
  if (forkedFrom !== null) return '⑂ ';
  return parent === null ? '' : `${'  '.repeat(Math.max(0, level - 1))}└ `;
}

function toRow(
  row: ListedSession,
  given: { level: number | undefined; details: SessionState | undefined; lastLine: string | undefined },
): string[] {
  const { level, details, lastLine } = given;
  // Sessions of the same name differ by what they ended with.
  const last = lastLine === undefined ? '' : ` · ${toLine(lastLine, NOW_WIDTH)}`;
  return [
    row.id,
    row.updatedAt.slice(0, 16).replace('T', ' '),
    row.processes === undefined ? row.status : [row.status, ...row.processes].join(' +'),
    formatUsd(row.costUsd),
    row.agentType,
    ...(details === undefined ? [] : [details.model ?? '', toLine(toRemark(details), NOW_WIDTH)]),
    `${toMark(row, level)}${row.title ?? row.firstPrompt ?? ''}${last}`,
    row.workspace,
  ];
}
