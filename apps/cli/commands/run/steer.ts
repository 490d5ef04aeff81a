import { openClient } from '../../client/open-client.ts';
import { createOutput } from '../../output/show-output.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addShowOptions, onAskOption } from '../../program/run-options.ts';
import { readStdin, toPromptParts } from '../../prompt/prompt-input.ts';
import { sendPrompt, toOnAsk } from '../../run/run-session.ts';

export const command: LeafCommand = {
  name: 'steer',
  summary: 'send a message to a running session; it is read at the next model call',
  server: 'both',
  declare: (declared) =>
    addShowOptions(
      declared
        .addArgument(new IdArgument('<id>', 'sessions'))
        .argument('<text...>', 'the message; - reads it from standard input')
        .addOption(onAskOption),
    ),
  async run(id: string, words: readonly string[], options: Options) {
    const output = createOutput(options);
    const stdin = await readStdin();
    await using client = await openClient(options, { settings: { onAsk: options.onAsk }, onNotice: output.note });
    const settings = await client.settings();
    const parts = toPromptParts({ words, stdin, maxChars: settings.maxPromptChars });
    const session = await client.session(id);
    const { onAsk, asks } = toOnAsk(options, settings);
    return await sendPrompt({ parts, onAsk, delivery: 'steer' }, { client, session, show: options, output, asks });
  },
};
