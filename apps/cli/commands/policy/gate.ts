import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { out } from '../../output/sink.ts';
import type { CommandGroup, LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { repeatable } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { approveOption } from '../../program/run-options.ts';

const WORDS = { allow: 'allowed', ask: 'asked', deny: 'denied' } as const;
const COLORS = { allow: 'green', ask: 'yellow', deny: 'red' } as const;

const test: LeafCommand = {
  name: 'test',
  summary: 'judge a shell command without running it: exit 0 allowed, 6 denied or asked',
  examples: ["klaus gate test 'git push --force'"],
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<command...>', 'the command, preferably in single quotes')
      .addOption(approveOption('the approval mode (default: auto)'))
      .option('--grant <text>', 'a grant instead of the default one; repeatable', repeatable())
      .option('--cwd <folder>', 'the workspace (default: the current folder)')
      .option('--host', 'as where there is no sandbox, such as in the guard of Claude Code')
      .option('--json', 'one JSON object on one line'),
  async run(words: readonly string[], options: Options) {
    await using klaus = await openKlaus({ cwd: options.cwd });
    const judged = await klaus.judge(words.join(' '), {
      mode: options.approve,
      grant: options.grant,
      ...(options.host ? { sandbox: 'host' as const } : {}),
    });
    const exit = judged.verdict === 'allow' ? EXIT.done : EXIT.denied;
    if (options.json) {
      out.json(judged);
      return exit;
    }
    const paint = createPaint(out, false);
    const lines = [
      `${paint(COLORS[judged.verdict], WORDS[judged.verdict])} by ${judged.rule}: ${toPrintable(judged.reason)}`,
      `mode ${judged.mode}, grant ${toPrintable(judged.grant)}`,
      'understood as:',
      toPrintable(judged.understood).replaceAll(/^/gm, '  '),
    ];
    for (const { rule, verdict, reason } of judged.findings) {
      if (rule !== judged.rule || verdict !== judged.verdict)
        lines.push(paint('dim', `${rule}: ${verdict}, ${toPrintable(reason)}`));
    }
    out.write(`${lines.join('\n')}\n`);
    return exit;
  },
};

export const command: CommandGroup = {
  name: 'gate',
  summary: 'test the decisions of the gate',
  examples: ["klaus gate test 'git push --force'"],
  commands: [test],
};
