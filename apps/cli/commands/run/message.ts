import { openStates } from '../../client/session-states.ts';
import { openDaemonClient } from '../../daemon/open-daemon-client.ts';
import { err, out } from '../../output/sink.ts';
import { CliError } from '../../program/cli-error.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { onAskOption } from '../../program/run-options.ts';
import { addPipedOptions, toPipedMark } from '../../prompt/piped-text.ts';
import { readStdin, toPromptParts } from '../../prompt/prompt-input.ts';

export const command: LeafCommand = {
  name: 'message',
  summary: 'send a message to a session: it steers a run, or starts one',
  examples: ['klaus message 01J "use the other parser"', 'git diff | klaus message 01J "this changed"'],
  description:
    'Sends a message and ends at once. A running session reads it at the next request to the model; an idle one starts a run in the daemon.',
  server: 'both',
  declare: (declared) =>
    addPipedOptions(declared)
      .addArgument(new IdArgument('<id>', 'sessions'))
      .argument('<text...>', 'the message; - reads it from standard input')
      .addOption(onAskOption)
      .option('--json', 'one JSON object: session, delivery'),
  async run(given: string, words: readonly string[], options: Options) {
    const stdin = await readStdin();
    await using client = await openDaemonClient(options, (text) => err.write(`klaus: ${text}\n`));
    const settings = await client.settings();
    const parts = toPromptParts({ words, stdin, maxChars: settings.maxPromptChars });
    const { id } = await client.session(given);
    if (toGivenServer(options) === undefined) await checkProblem(id);
    const onAsk = options.onAsk ?? settings.onAsk ?? 'wait';
    const { isHandedOver } = await client.prompt(id, {
      parts,
      onAsk,
      delivery: 'steer',
      ...toPipedMark(words, stdin, options),
    });
    if (options.json) out.json({ session: id, delivery: isHandedOver ? 'steer' : 'prompt' });
    else
      err.write(isHandedOver ? `Session ${id} gets the message.\n` : `Session ${id} starts to work on the message.\n`);
  },
};

/** @throws CliError for a session that cannot run. */
async function checkProblem(id: string): Promise<void> {
  using states = await openStates();
  const problem = states?.get([id])[0]?.problem;
  if (!problem) return;
  throw new CliError(problem.code, `Session ${id} cannot run: ${problem.message}`, {
    hint: 'Restore the folder, or start another session.',
  });
}
