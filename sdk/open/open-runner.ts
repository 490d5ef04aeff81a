import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundAgent } from '@klaus/core/agent';
import {
  CONTAINER_SANDBOXES,
  KlausError,
  type AgentDefinition,
  type Limits,
  type SandboxName,
  type SessionRunner,
} from '@klaus/core/protocol';
import { findMcpServers } from './mcp-servers.ts';
import { isIn } from './outside-folders.ts';

/** Name in place of a model, for a session whose agent is driven by another program. */
export function toRunnerModel({ name, model }: SessionRunner, agent: AgentDefinition | undefined): string {
  return `${name}/${model ?? agent?.name ?? 'default'}`;
}

/** Variables of the user that Claude Code gets if its definition names none: how it reaches its model, and nothing else. */
const CLAUDE_ENV = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_MODEL',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
  'DISABLE_ERROR_REPORTING',
  'DISABLE_TELEMETRY',
];

interface RunnerPlace {
  /** True for a definition of the user, and one of the project that the user trusts. */
  isTrustedAgent: boolean;
  isTrusted: boolean;
  /** The home folder of the user. */
  home: string;
  /** `KLAUS_HOME`. */
  state: string;
  /** Absolute. */
  workspace: string;
  /** Names of the MCP servers of the session from which it is started. */
  ofParent: readonly string[];
  /** Finds the program of Claude Code. @throws KlausError `config`. */
  findClaude: () => string;
}

/** Claude Code for a session without a definition, or with one of an agent of Klaus. */
export function toClaudeCode(
  definition: AgentDefinition | undefined,
  {
    model,
    workspace,
    isTrusted,
    ofParent,
    findClaude,
  }: Pick<RunnerPlace, 'workspace' | 'isTrusted' | 'ofParent' | 'findClaude'> & { model: string | undefined },
): SessionRunner {
  const servers = findMcpServers(definition ?? {}, { workspace, isTrusted, ofParent });
  return { name: 'claude-code', command: [findClaude()], env: CLAUDE_ENV, model, ...servers };
}

/**
 * Checks the program that a definition names. A definition of the project only runs it if the user trusts it, because it
 * comes with the files of the project.
 *
 * @throws KlausError `config` for an incomplete definition or an unusable folder, `usage` without the agreement.
 */
export function toSessionRunner(
  { name, definition, file }: Pick<FoundAgent, 'name' | 'definition' | 'file'>,
  at: RunnerPlace,
): SessionRunner | undefined {
  const { runner, home, settingSources, model } = definition;
  const isClaude = runner === 'claude-code';
  const { command = isClaude ? [at.findClaude()] : undefined, env = isClaude ? CLAUDE_ENV : undefined } = definition;
  if (settingSources && !isClaude) {
    throw new KlausError('config', `${file}: settingSources needs the runner claude-code.`, {
      hint: 'Remove it, or add `runner: claude-code`.',
    });
  }
  if (runner === undefined) {
    if (command === undefined && env === undefined && home === undefined) return undefined;
    throw new KlausError('config', `${file}: command, env and home need a runner.`, { hint: 'Add `runner: acp`.' });
  }
  if (definition.reviewers && definition.reviewers.length > 0) {
    throw new KlausError('config', `${file}: reviewers judge only agents that the loop of Klaus drives.`, {
      hint: `Remove reviewers, or the runner ${runner}.`,
    });
  }
  if (command === undefined) {
    throw new KlausError('config', `${file}: the runner ${runner} needs a command.`, {
      hint: 'Add `command: [program, argument]`.',
    });
  }
  if (model !== undefined && !isClaude) {
    throw new KlausError('config', `${file}: the agent chooses its model itself.`, {
      hint: 'Remove `model`, and configure the model in the program of the agent.',
    });
  }
  if (!at.isTrustedAgent) {
    const line = JSON.stringify(command);
    throw new KlausError('usage', `The agent ${name} of this project runs the program ${line}.`, {
      hint: `Read ${file}. If you trust it, run \`klaus agents trust ${name}\`, or repeat this with --trust-command.`,
    });
  }
  const own = { env, home: home && toFolder(home, at), ...(isClaude ? { model, settingSources } : {}) };
  return { name: runner, command, ...own, ...(isClaude ? findMcpServers(definition, at) : {}) };
}

/** What a session with a runner cannot have. @throws KlausError `config`, `usage`. */
export function checkRunner(
  { name }: SessionRunner,
  {
    limits,
    sandbox,
    model,
    lacksNetwork,
  }: {
    limits: Limits;
    sandbox: SandboxName;
    model: string | undefined;
    lacksNetwork: 'grant' | 'definition' | undefined;
  },
): void {
  if (name === 'claude-code' && sandbox !== 'host' && lacksNetwork !== undefined) {
    const isGrant = lacksNetwork === 'grant';
    const what = isGrant ? 'the grant has' : 'the definition of the agent asks for';
    throw new KlausError('config', `Claude Code reaches its model by itself, and ${what} no \`web-access\`.`, {
      hint: isGrant
        ? 'Add it: --grant "file-operations · code-execution · web-access".'
        : 'Add it to `capabilities` in the definition. A grant only narrows what the definition asks for.',
    });
  }
  if (model !== undefined && name !== 'claude-code') {
    throw new KlausError('usage', 'The agent chooses its model itself.', {
      hint: 'Leave out --model, and configure the model in the program of the agent.',
    });
  }
  if (limits.usd > 0 && name === 'acp') {
    throw new KlausError('config', 'A limit in dollars cannot be kept for an agent that another program drives.', {
      hint: 'Limit its turns and tool calls with --max-turns and --max-tool-calls, and pass --budget-usd 0.',
    });
  }
  const driver = CONTAINER_SANDBOXES[sandbox];
  if (driver !== undefined) {
    throw new KlausError('sandbox.unavailable', `${driver} cannot run an agent that another program drives.`, {
      hint: 'Use bubblewrap, or `--sandbox host`, where the agent has all rights of the user.',
    });
  }
}

function toFolder(given: string, { home, state }: { home: string; state: string }): string {
  const path = given.startsWith('~/') ? join(home, given.slice(2)) : given;
  if (!path.startsWith('/') || !existsSync(path) || !statSync(path).isDirectory()) {
    throw new KlausError('config', `home: ${given} is not a folder.`, {
      hint: 'Name a folder with the configuration of the agent, as an absolute path or below `~/`.',
    });
  }
  const real = realpathSync(path);
  if (real === '/' || isIn(home, real) || isIn(real, state)) {
    throw new KlausError('config', `home: ${given} cannot be copied for an agent.`, {
      hint: 'Make a folder that contains only the configuration of the agent.',
    });
  }
  return real;
}
