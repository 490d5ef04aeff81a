import { join } from 'node:path';
import type { RunnerRequest } from '@klaus/core/agent';
import { KlausError, type Mode } from '@klaus/core/protocol';
import { readForeignFileSync } from '../../system/index.ts';

/**
 * The name of a mode for Claude Code. The gate decides in every mode; its name only changes the instructions of the model. So the
 * program never allows a call by itself.
 */
export function toPermissionMode(mode: Mode): string {
  return mode === 'plan' ? 'plan' : 'default';
}

/**
 * Tools that need its own terminal, start work that outlasts the turn, or leave the workspace. The model of a session of
 * Klaus asks the user in its answer.
 */
const WITHOUT = [
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'EnterWorktree',
  'ExitWorktree',
  'CronCreate',
  'CronDelete',
  'CronList',
  'ScheduleWakeup',
  'Workflow',
];

/** A setting of a project must not switch off the hook through which the gate sees each call. */
const SETTINGS = JSON.stringify({ disableAllHooks: false });

/** The command line. @param given.resume True: its session exists. */
export function toWords(request: RunnerRequest, { id, resume }: { id: string; resume: boolean }): string[] {
  const { command, mode, model, settingSources = [], mcpServers = [], folders, usdLeft, workspace } = request;
  return [
    ...command,
    ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    '--include-partial-messages',
    '--permission-prompt-tool=stdio',
    `--permission-mode=${toPermissionMode(mode)}`,
    `--setting-sources=${settingSources.join(',')}`,
    `--settings=${SETTINGS}`,
    `--disallowedTools=${WITHOUT.join(',')}`,
    '--strict-mcp-config',
    ...(mcpServers.length > 0 ? [`--mcp-config=${toMcpConfig(workspace, mcpServers)}`] : []),
    ...folders.map((folder) => `--add-dir=${folder}`),
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(usdLeft === undefined ? [] : [`--max-budget-usd=${usdLeft}`]),
    ...(resume ? [`--resume=${id}`] : [`--session-id=${id}`]),
  ];
}

/**
 * The command line of the interactive program. It loads the MCP servers of the project itself if it loads the settings of
 * the project.
 *
 * @param given.link The shell command of a hook that reports the session.
 */
export function toTerminalWords(
  request: RunnerRequest,
  { id, resume, link, args }: { id: string; resume: boolean; link: string; args: readonly string[] },
): string[] {
  const { command, mode, model, settingSources = [], mcpServers = [], folders, workspace } = request;
  const hooks = { SessionStart: [{ hooks: [{ type: 'command', command: link, timeout: LINK_SECONDS }] }] };
  return [
    ...command,
    `--settings=${JSON.stringify({ disableAllHooks: false, hooks })}`,
    `--setting-sources=${settingSources.join(',')}`,
    ...(mode === 'plan' ? ['--permission-mode=plan'] : []),
    ...(settingSources.includes('project') ? [] : ['--strict-mcp-config']),
    ...(mcpServers.length > 0 ? [`--mcp-config=${toMcpConfig(workspace, mcpServers)}`] : []),
    ...folders.map((folder) => `--add-dir=${folder}`),
    ...(model === undefined ? [] : [`--model=${model}`]),
    ...(resume ? [`--resume=${id}`] : [`--session-id=${id}`]),
    ...args,
  ];
}

/** Seconds that the hook has to write its report. */
const LINK_SECONDS = 10;

/** The named servers of `.mcp.json`. @throws KlausError `config` if one is gone. */
function toMcpConfig(workspace: string, names: readonly string[]): string {
  let servers: Readonly<Record<string, unknown>> = {};
  try {
    ({ mcpServers: servers = {} } = JSON.parse(readForeignFileSync(join(workspace, '.mcp.json')).text) as {
      mcpServers?: typeof servers;
    });
  } catch {
    // Reported below.
  }
  const missing = names.find((name) => !Object.hasOwn(servers, name));
  if (missing !== undefined) {
    throw new KlausError('config', `The MCP server ${missing} is not in .mcp.json of the workspace any more.`, {
      hint: 'Restore the file, or open another session.',
    });
  }
  return JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, servers[name]])) });
}
