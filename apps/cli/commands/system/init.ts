import type { Klaus, Limits } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { openKlaus } from '../../client/open-klaus.ts';
import { toShortPath } from '../../output/short-path.ts';
import { out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { addLimitOptions, toLimits } from '../../program/run-options.ts';
import { hasKeyboard } from '../../prompt/keyboard.ts';
import { openQuestions } from '../../prompt/open-questions.ts';
import type { Questions } from '../../prompt/questions.ts';
import { askForWay } from '../../setup/set-up.ts';

type Choice = Pick<Limits, 'toolCalls' | 'tokens'>;

const OFFERED: readonly Choice[] = [
  { toolCalls: 200, tokens: 1_000_000 },
  { toolCalls: 0, tokens: 0 },
];

export const command: LeafCommand = {
  name: 'init',
  summary: 'set the default limits of a session, and set up a model',
  examples: ['klaus init --max-tool-calls 200 --budget-tokens 1000000'],
  server: 'local',
  declare: addLimitOptions,
  async run(options: Options) {
    await using klaus = await openKlaus();
    const given = toLimits(options);
    if (given) {
      out.write(`Written to ${await writeLimits(klaus, given)}. \`klaus config\` shows every setting.\n`);
      return EXIT.done;
    }
    if (!hasKeyboard()) {
      throw new UsageError(
        'klaus init asks at a terminal, and there is none.',
        'Pass the limits as options: klaus init --max-tool-calls 200 --budget-tokens 1000000',
      );
    }
    if (await klaus.localServers.isNeeded()) await askForWay(klaus, { isStart: false });
    using questions = await openQuestions('Limits of a session');
    const limits = await ask(questions, klaus);
    if (limits === undefined) {
      questions.cancel('Nothing was changed.');
      return EXIT.interrupted;
    }
    const file = toPrintable(toShortPath(await writeLimits(klaus, limits)));
    questions.end({ title: 'Limits', lines: [`Written to ${file}.`], next: 'klaus config shows every setting' });
    return EXIT.done;
  },
};

/** @returns The file. */
function writeLimits({ settings }: Klaus, limits: Partial<Limits>): Promise<string> {
  return settings.write(Object.fromEntries(Object.entries(limits).map(([name, cap]) => [`limits.${name}`, cap])));
}

/** Undefined: the user cancelled. */
async function ask(questions: Questions, { configuration }: Klaus): Promise<Choice | undefined> {
  const present = { toolCalls: configuration.get('limits.toolCalls'), tokens: configuration.get('limits.tokens') };
  const byText = new Map([present, ...OFFERED].map((choice) => [describe(choice), choice]));
  const chosen = await questions.select(
    'How much may a session use before Klaus asks for more?',
    [...byText.keys()].map((text) => ({
      value: text,
      label: text,
      ...(text === describe(present) ? { hint: 'now' } : {}),
    })),
  );
  return chosen === undefined ? undefined : byText.get(chosen);
}

function describe({ toolCalls, tokens }: Choice): string {
  if (toolCalls === 0 && tokens === 0) return 'no limits';
  const calls = toolCalls === 0 ? 'any number of tool calls' : formatNumber(toolCalls, 'tool call');
  return `${calls}, ${tokens === 0 ? 'any number of tokens' : formatNumber(tokens, 'token')}`;
}
