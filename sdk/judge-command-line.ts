import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Engine } from '@klaus/core/agent';
import { decide, parseGrants, renderCommand, RULES, toDefaultGrant, toGrantText } from '@klaus/core/policy';
import { KlausError, type Decision, type Mode } from '@klaus/core/protocol';
import type { Configuration } from './config/configuration.ts';

/** The gate's decision on a command, without running it. */
export interface JudgedCommand extends Decision {
  mode: Mode;
  /** The grant in one line. */
  grant: string;
  /** The command as the gate understood it, one simple command a line. */
  understood: string;
}

export interface JudgeOptions {
  engine: Engine;
  /** The engine with the policy of a workspace. */
  inWorkspace: (workspace: string) => Promise<Engine>;
  configuration: Configuration;
  cwd: string;
  mode?: Mode;
  /** Parts of one grant. */
  grant?: readonly string[];
}

/** The decision of the gate of a new session in this folder on a shell command. Runs nothing. */
export async function judgeCommandLine(command: string, options: JudgeOptions): Promise<JudgedCommand> {
  const { engine, configuration, mode = 'auto' } = options;
  if (command.trim() === '') throw new KlausError('usage', 'There is no command to judge.');
  const workspace = realpathSync.native(resolve(options.cwd, configuration.get('workspace')));
  const { rules, settings } = await options.inWorkspace(workspace);
  const now = engine.clock.now();
  const grant = options.grant ? parseGrants(options.grant, { workspace, now }) : toDefaultGrant(workspace);
  const call = {
    name: 'run_command',
    effects: ['execute' as const],
    access: [{ kind: 'exec' as const, command }],
    altered: false,
  };
  const context = {
    grant,
    mode,
    patchApproval: configuration.get('requirePatchApproval'),
    workspace,
    home: engine.home,
    now,
    isOffline: configuration.get('sandbox.driver') !== 'host',
    secretPatterns: settings.secretPatterns,
  };
  const decision = decide(call, context, [...RULES, ...rules]);
  return { ...decision, mode, grant: toGrantText(grant), understood: renderCommand(command, workspace) };
}
