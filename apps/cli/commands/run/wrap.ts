import { resolve } from 'node:path';
import { Option } from 'commander';
import type { EventOf } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { err } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { integer, repeatable, toAmount } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { settingOption, toLimits, toSettings } from '../../program/run-options.ts';
import { createInterruptSignal } from '../../prompt/interrupt-signal.ts';

interface WrapCommandOptions extends Options {
  as?: string;
  home?: string;
  review?: true;
  allowNet?: readonly string[];
}

export const command: LeafCommand = {
  name: 'wrap',
  summary: 'run the program of another agent in the sandbox, with a budget, undo and a log',
  examples: ['klaus wrap -- codex', 'klaus wrap --budget-usd 3 -- opencode run "fix the failing test"'],
  description:
    'Runs a program unchanged: klaus wrap -- claude, or codex, opencode, pi and others. Secret files are hidden from it, it reaches only models, and its requests are paid with your keys, which it does not get.',
  footer:
    'The exit code is that of the program. `klaus undo` undoes what it changed, `klaus show` prints its log. docs/guides/wrap.md',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<command...>', 'the program with its arguments, after --')
      .option('-C, --cwd <folder>', 'the folder to work in (default: the current folder)')
      .option('-m, --model <name>', 'the model for the program (default: its own, else the configured model)')
      .option('--as <name>', 'treat the program as claude, codex, opencode or pi (default: its file name)')
      .option('--home <folder>', 'a folder with configuration, which is copied into the home folder of the program')
      .option('--review', 'the program works on a copy, and its changes are applied hunk by hunk at its end')
      .addOption(
        new Option(
          '--allow-net <hosts>',
          'hosts that the provider of a model may reach for the program, such as docs.example.com; "*" allows its web search and similar tools',
        ).argParser(repeatable()),
      )
      .option('--budget-usd <amount>', 'US dollars that the session may cost; 0 means unlimited', toAmount)
      .option('--budget-tokens <count>', 'tokens that the session may use; 0 means unlimited', integer(0))
      .addOption(settingOption),
  async run(words: readonly string[], options: WrapCommandOptions) {
    const [{ wrap }, { openKlaus, toFolder }] = await Promise.all([
      import('@klaus/claude-code/wrap'),
      import('../../client/open-klaus.ts'),
    ]);
    const cwd = toFolder(options.cwd ?? process.cwd());
    if (options.review && !process.stdin.isTTY) {
      throw new UsageError('--review needs a terminal, where you accept or reject the changes.');
    }
    const note = (text: string): void => err.write(`klaus: ${toPrintable(text)}\n`);
    using stop = createInterruptSignal(['SIGINT', 'SIGTERM', 'SIGHUP']);
    const ended = await wrap({
      ...{ command: words, cwd, env: process.env, signal: stop.signal },
      limits: toLimits(options) ?? {},
      openKlaus: (parts) => openKlaus({ ...parts, cwd, settings: toSettings({ set: options.set }), onNotice: note }),
      as: options.as,
      model: options.model,
      allowNet: options.allowNet,
      home: options.home === undefined ? undefined : resolve(toFolder(options.home)),
      review: options.review ? review : undefined,
    });
    if (ended.problem !== undefined) note(ended.problem);
    if (ended.refused !== undefined) note(`${ended.refused} \`klaus wrap --budget-usd\` sets another one.`);
    if (ended.changes > 0) {
      const files = ended.changes === 1 ? '1 changed file' : `${ended.changes} changed files`;
      note(
        `${files}: \`klaus diff --session ${ended.session}\` shows, \`klaus undo --session ${ended.session}\` undoes them.`,
      );
    }
    if (ended.cancelled) return ended.refused === undefined ? EXIT.interrupted : EXIT.limit;
    return ended.exitCode ?? EXIT.failed;
  },
};

async function review(question: EventOf<'approval.asked'>, signal: AbortSignal) {
  const { askInTerminal } = await import('../../prompt/approval-prompt.ts');
  const reply = await askInTerminal(question, { plain: false, signal });
  return reply.kind === 'interrupt' ? { kind: 'later' as const } : reply;
}
