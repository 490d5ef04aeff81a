import { openStates } from '../../client/session-states.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { isLineByLine } from '../../prompt/accessible.ts';

export const command: LeafCommand = {
  name: 'watch',
  summary: 'watch all sessions: what they do, what they cost, and which one needs you',
  examples: ['klaus watch', 'klaus watch --json | grep needs-you'],
  description:
    'Shows a live board of the newest sessions of all folders, those that need you first. Without a terminal, prints a line for each change.',
  footer: 'Keys: j and k choose a session, Enter opens it, m sends it a message, i interrupts it, q leaves.',
  server: 'local',
  declare: (declared) =>
    declared
      .option('--limit <count>', 'maximum number of sessions', integer(1, 1_000), 100)
      .option('--plain', 'print a line for each change, without the board')
      .option('--json', 'one object for each change'),
  async run(options: Options & { limit: number }) {
    using states = await openStates();
    if (states === undefined) {
      err.write('There are no sessions yet. Start one with `klaus start`.\n');
    } else if (process.stdin.isTTY && out.isTTY && !options.json && !options.plain && !isLineByLine()) {
      const { showBoard } = await import('../../board/board.ts');
      await showBoard(states, options);
    } else {
      const { printChanges } = await import('../../board/print-changes.ts');
      await printChanges(states, options);
    }
  },
};
