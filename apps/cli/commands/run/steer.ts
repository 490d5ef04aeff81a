import { openClient } from '../../client/open-client.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addShowOptions, onAskOption, outputFormatOption } from '../../program/run-options.ts';
import { addPipedOptions, toPipedMark } from '../../prompt/piped-text.ts';
import { readStdin, toPromptParts } from '../../prompt/prompt-input.ts';
import { openRunResult } from '../../run/open-run-result.ts';
import { sendPrompt, toOnAsk } from '../../run/run-session.ts';

export const command: LeafCommand = {
  name: 'steer',
  summary: 'send a message to a running session; it is read at the next model call',
  replacedBy: 'klaus message',
  examples: ['klaus steer 01J "leave the tests as they are"'],
  server: 'both',
  declare: (declared) =>
    addPipedOptions(
      addShowOptions(
        declared
          .addArgument(new IdArgument('<id>', 'sessions'))
          .argument('<text...>', 'the message; - reads it from standard input')
          .addOption(onAskOption),
      ).addOption(outputFormatOption),
    ),
  async run(id: string, words: readonly string[], options: Options) {
    const result = await openRunResult(options);
    const { output } = result;
    const stdin = await readStdin();
    await using client = await openClient(options, { settings: { onAsk: options.onAsk }, onNotice: output.note });
    const settings = await client.settings();
    const parts = toPromptParts({ words, stdin, maxChars: settings.maxPromptChars });
    const session = await client.session(id);
    const { onAsk, asks } = toOnAsk(options, settings);
    const run = { client, session, show: options, output, asks, onAsk };
    return await result.finish(
      run,
      await sendPrompt({ parts, onAsk, delivery: 'steer', ...toPipedMark(words, stdin, options) }, run),
    );
  },
};
