import { randomBytes } from 'node:crypto';
import type { Klaus, OpenOptions } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { toOrigin } from '../../instance/origin.ts';
import { SocketError } from '../../instance/socket-error.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { Options } from '../../program/options.ts';
import { settingOption, toSettings } from '../../program/run-options.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';

interface ClaudeOptions extends Options {
  resume?: string;
  agent?: string;
  trustCommand?: true;
}

export const command: LeafCommand = {
  name: 'claude',
  summary: 'run Claude Code in this terminal, and switch it between sessions',
  examples: [
    'klaus claude',
    'klaus claude -- --model opus          arguments after -- are those of Claude Code',
    'klaus claude --resume 01KE            continues a session',
    'klaus claude --agent reviewer         with the authority and in the sandbox of an agent',
  ],
  description:
    'Runs your Claude Code with your settings and your login. `klaus checkout ID`, in it or in another terminal, shows another session that Claude Code drives, such as one of `klaus start`; `klaus checkout` returns to its parent.',
  footer: 'docs/guides/claude-code.md',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('[arguments...]', 'arguments of Claude Code, after --')
      .option('-C, --cwd <folder>', 'the folder to work in (default: the current folder)')
      .option('-m, --model <name>', 'the model, by a name of Claude Code')
      .option('--resume <id>', 'a session to continue')
      .option('--agent <name>', 'the agent of a new session (default: your own Claude Code, without a sandbox)')
      .option('--trust-command', 'the definition of the agent comes with the project, and may run its program')
      .addOption(settingOption),
  run: runClaude,
};

/** @param args Arguments of Claude Code. @returns Its exit code. */
export async function runClaude(args: readonly string[], options: ClaudeOptions): Promise<number> {
  if (!process.stdin.isTTY || !out.isTTY) {
    throw new UsageError('klaus claude needs a terminal.', '`klaus start --runner claude-code` needs none.');
  }
  const [
    { openTerminal, Supervisor, SupervisorError },
    { createLocalClient },
    { openKlaus, toFolder },
    instances,
    ulid,
  ] = await Promise.all([
    import('@klaus/claude-code/supervisor'),
    import('../../client/local-client.ts'),
    import('../../client/open-klaus.ts'),
    import('../../instance/terminal-instance.ts'),
    import('@klaus/sdk/ulid'),
  ]);
  const note = (text: string): void => err.write(`klaus: ${toPrintable(text)}\n`);
  const cwd = toFolder(options.cwd ?? process.cwd());
  using stop = createInterruptSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
  const settings = toSettings({ set: options.set });
  await using klaus = await openKlaus({ cwd, settings, onNotice: note, endProcesses: 'close' });
  const client = createLocalClient(klaus, note);
  const instance = ulid.toUlid(Date.now(), randomBytes(10));
  const session = await openFirst(klaus, { ...options, cwd, instance });
  const show = async (id: string): Promise<void> => {
    try {
      await supervisor.show(id);
    } catch (error) {
      if (error instanceof SupervisorError) throw new SocketError(SOCKET_CODES[error.kind], error.message);
      throw error;
    }
  };
  const terminal = { id: instance, folder: cwd, client, session, show, holds: true };
  const host = await instances.openTerminalInstance(terminal);
  const supervisor = new Supervisor({
    ...{ klaus, args, note, signal: stop.signal, env: process.env, terminal: openTerminal(process.env) },
    graceMs: host.graceSeconds * 1_000,
    linkMs: host.linkSeconds * 1_000,
    onSession: (id) => host.setSession(id),
    async onLeft(id) {
      // The user was there: nothing of it waits for a look.
      await client.markSeen(id, (await client.session(id)).lastSeq);
    },
  });
  let exitCode = 1;
  try {
    exitCode = await supervisor.run(session);
  } finally {
    await host.end(exitCode);
  }
  return exitCode;
}

const SOCKET_CODES = {
  'target-missing': 'E_SWITCH_TARGET_MISSING',
  'hook-timeout': 'E_HOOK_TIMEOUT',
  ended: 'E_SHUTTING_DOWN',
} as const;

async function openFirst(
  klaus: Klaus,
  { resume, agent, model, trustCommand, cwd, instance }: ClaudeOptions & { cwd: string; instance: string },
): Promise<string> {
  if (resume !== undefined) return (await klaus.session(resume)).id;
  const { startedBy } = toOrigin(process.env);
  const own: OpenOptions = { sandbox: 'host', settingSources: ['user', 'project', 'local'] };
  const { id } = await klaus.open({
    ...{ workspace: cwd, runner: 'claude-code', instance },
    ...(agent === undefined ? own : { agent }),
    model,
    trustCommand,
    startedBy,
  });
  return id;
}
