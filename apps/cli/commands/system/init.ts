import type { Klaus, Limits } from '@klaus/sdk';
import { formatNumber } from '@klaus/sdk/transcript';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { addLimitOptions, toLimits } from '../../program/run-options.ts';
import { hasKeyboard, openKeyboard } from '../../prompt/keyboard.ts';

type Choice = Pick<Limits, 'toolCalls' | 'tokens'>;

const LARGER: Choice = { toolCalls: 200, tokens: 1_000_000 };
const UNLIMITED: Choice = { toolCalls: 0, tokens: 0 };

export const command: LeafCommand = {
  name: 'init',
  summary: 'set the default limits of a session',
  footer: 'Example:\n  klaus init --max-tool-calls 200 --budget-tokens 1000000',
  server: 'local',
  declare: addLimitOptions,
  async run(options: Options) {
    await using klaus = await openKlaus();
    const limits = toLimits(options) ?? (await ask(klaus));
    if (limits === 'interrupted') return EXIT.interrupted;
    if (limits) out.write(`Written to ${klaus.writeLimits(limits)}. \`klaus config\` shows every setting.\n`);
    return EXIT.done;
  },
};

/** Undefined: nothing is to be changed. */
async function ask({ configuration }: Klaus): Promise<Choice | 'interrupted' | undefined> {
  if (!hasKeyboard()) {
    throw new UsageError(
      'klaus init asks at a terminal, and there is none.',
      'Pass the limits as options: klaus init --max-tool-calls 200 --budget-tokens 1000000',
    );
  }
  const present = { toolCalls: configuration.get('limits.toolCalls'), tokens: configuration.get('limits.tokens') };
  // A key that is pressed as soon as the question is shown answers it.
  using keyboard = await openKeyboard();
  err.write(
    'The limits of a session keep its cost small. At a limit Klaus asks for more.\n\n' +
      `  1  ${describe(present)} (now)\n  2  ${describe(LARGER)}\n  3  ${describe(UNLIMITED)}\n\n[1 2 3, q to quit] `,
  );
  for (;;) {
    const key = await keyboard.key();
    const chosen = key === '1' || key === '\r' ? present : key === '2' ? LARGER : key === '3' ? UNLIMITED : undefined;
    if (chosen) {
      err.write('\n');
      return chosen;
    }
    if (key === undefined || key === 'ctrl-c' || key === 'q') {
      err.write('\nNothing was changed.\n');
      return key === 'q' ? undefined : 'interrupted';
    }
  }
}

function describe({ toolCalls, tokens }: Choice): string {
  if (toolCalls === 0 && tokens === 0) return 'no limits';
  const calls = toolCalls === 0 ? 'any number of tool calls' : formatNumber(toolCalls, 'tool call');
  return `${calls}, ${tokens === 0 ? 'any number of tokens' : formatNumber(tokens, 'token')}`;
}
