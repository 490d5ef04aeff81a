import type { SandboxName } from '@klaus/sdk';
import { toFolder } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { UsageError } from '../../program/cli-error.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { sandboxOption } from '../../program/run-options.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';

interface RunOptions {
  session?: string;
  cwd?: string;
  sandbox?: SandboxName;
  asAgent?: true;
  json?: true;
}

export const run: LeafCommand = {
  name: 'run',
  summary: 'run a command of your own in a sandbox',
  examples: ['klaus sandbox run "npm --version"', 'klaus sandbox run --session 01J "cat .env; ls -la"'],
  description:
    'Runs a shell line in the sandbox of a session, as an agent would run it: with the same files, limits and masks, through the gate, and recorded. No model is asked.',
  footer: 'The exit code is that of the command.',
  server: 'local',
  declare: (declared) =>
    declared
      .argument('<command>', 'a line for /bin/sh')
      .option('--session <id>', 'a session or its beginning (default: a new one)')
      .option('-C, --cwd <folder>', 'the folder of the new session (default: the current folder)')
      .addOption(sandboxOption)
      .option('--as-agent', 'as a call of an agent: nothing is approved, and changes of protected places are reverted')
      .option('--json', 'one JSON document'),
  async run(command: string, { session, cwd, sandbox, json, asAgent }: RunOptions) {
    if (asAgent && session !== undefined) throw new UsageError('Choose one of --session and --as-agent.');
    const { runForAgent, runInSandbox } = await import('@klaus/sdk');
    using interrupt = createInterruptSignal();
    const ran = await (asAgent ? runForAgent : runInSandbox)({
      command,
      workspace: toFolder(cwd ?? '.'),
      signal: interrupt.signal,
      onNotice: (text) => err.write(`klaus: ${text}\n`),
      ...(json ? {} : { onOutput: (text) => out.write(text) }),
      session,
      sandbox,
    });
    if (json) out.json(ran, 2);
    else if (!asAgent) err.write(`sandbox ${ran.driver}, session ${ran.session}\n`);
    if (ran.outcome === 'denied') {
      if (!json) err.write(`${ran.output}\n`);
      return EXIT.denied;
    }
    return ran.exitCode ?? EXIT.failed;
  },
};
