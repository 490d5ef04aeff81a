import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundAgent } from '@klaus/core/agent';
import {
  KlausError,
  optional,
  type AgentDefinition,
  type Limits,
  type SandboxName,
  type SessionRunner,
} from '@klaus/core/protocol';
import { isIn } from './outside-folders.ts';

/** Name in place of a model, for a session whose agent is driven by another program. */
export function toRunnerModel({ runner, name }: AgentDefinition): string | undefined {
  return runner && `${runner}/${name}`;
}

/**
 * Checks the program that a definition names. A definition of the project only runs it if the user has agreed, because
 * it comes with the files of the project.
 *
 * @param at.isOfProject True for a definition in the workspace.
 * @param at.home The home folder of the user. @param at.state `KLAUS_HOME`.
 * @throws KlausError `config` for an incomplete definition or an unusable folder, `usage` without the agreement.
 */
export function toSessionRunner(
  { definition, file }: Pick<FoundAgent, 'definition' | 'file'>,
  at: { isOfProject: boolean; isTrusted: boolean; home: string; state: string },
): SessionRunner | undefined {
  const { runner, command, env, home, name } = definition;
  if (runner === undefined) {
    if (command === undefined && env === undefined && home === undefined) return undefined;
    throw new KlausError('config', `${file}: command, env and home need a runner.`, { hint: 'Add `runner: acp`.' });
  }
  if (command === undefined) {
    throw new KlausError('config', `${file}: the runner ${runner} needs a command.`, {
      hint: 'Add `command: [program, argument]`.',
    });
  }
  if (definition.model !== undefined) {
    throw new KlausError('config', `${file}: the agent chooses its model itself.`, {
      hint: 'Remove `model`, and configure the model in the program of the agent.',
    });
  }
  if (at.isOfProject && !at.isTrusted) {
    const line = JSON.stringify(command);
    throw new KlausError('usage', `The agent ${name} of this project runs the program ${line}.`, {
      hint: `Read ${file}. If you trust it, repeat this with --trust-command, or copy the file to ${join(at.state, 'agents')}.`,
    });
  }
  return { name: runner, command, ...optional({ env, home: home && toFolder(home, at) }) };
}

/** What a session with a runner cannot have. @throws KlausError `config`, `usage`. */
export function checkRunner({
  limits,
  sandbox,
  model,
  runner,
}: {
  runner: SessionRunner;
  limits: Limits;
  sandbox: SandboxName;
  model: string | undefined;
}): void {
  if (model !== undefined) {
    throw new KlausError('usage', 'The agent chooses its model itself.', {
      hint: 'Leave out --model, and configure the model in the program of the agent.',
    });
  }
  if (limits.usd > 0 && runner.name !== 'wrap') {
    throw new KlausError('config', 'A limit in dollars cannot be kept for an agent that another program drives.', {
      hint: 'Limit its turns and tool calls with --max-turns and --max-tool-calls, and pass --budget-usd 0.',
    });
  }
  if (sandbox === 'docker') {
    throw new KlausError('sandbox.unavailable', 'Docker cannot run an agent that another program drives.', {
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
