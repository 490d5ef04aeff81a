import { out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { UsageError } from '../../program/cli-error.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { isLineByLine } from '../../prompt/accessible.ts';
import { SESSION_HELP } from '../sessions/chosen-session.ts';

export const command: LeafCommand = {
  name: 'attach',
  summary: 'join a session in the terminal; leaving it does not stop its run',
  examples: ['klaus attach', 'klaus attach 01J --plain | grep test'],
  description:
    'Opens the interactive terminal on a session of the daemon, which is started if it does not run. Without a terminal, prints what happens until the run has ended.',
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions', SESSION_HELP))
      .option('--plain', 'print lines, without the interactive terminal')
      .option('--json', 'print the events as NDJSON, without the interactive terminal'),
  async run(id: string | undefined, options: Options) {
    const isTerminal = process.stdin.isTTY && out.isTTY && !options.json && !options.plain && !isLineByLine();
    if (isTerminal) {
      const { attachTerminal } = await import('../../chat/attach-terminal.ts');
      return await attachTerminal(id, options);
    }
    if (toGivenServer(options) !== undefined) {
      throw new UsageError(
        'Without a terminal, klaus attach follows sessions of this machine only.',
        '`klaus show ID --server URL` prints a session of a server.',
      );
    }
    const { printSession } = await import('../../run/print-session.ts');
    await printSession(id, { ...options, follow: true, isNamed: true });
    return EXIT.done;
  },
};
