import { openClient } from '../../client/open-client.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import {
  addLimitOptions,
  addShowOptions,
  onAskOption,
  outputFormatOption,
  toLimits,
  waitForModelOption,
} from '../../program/run-options.ts';
import { openRunResult } from '../../run/open-run-result.ts';
import { runSession, toOnAsk } from '../../run/run-session.ts';
import { chooseSession, SESSION_HELP } from '../sessions/chosen-session.ts';

export const command: LeafCommand = {
  name: 'resume',
  summary: 'continue after a crash, a limit, a failure or a cancellation',
  examples: ['klaus resume', 'klaus resume 01J --budget-usd 5'],
  description:
    'Continues a session whose run ended early. --budget-… and --max-… set new limits. --on-ask also applies to a run that waits for answers: deny denies its open questions.',
  server: 'both',
  declare: (declared) =>
    addShowOptions(
      addLimitOptions(
        declared
          .addArgument(new IdArgument('[id]', 'sessions', SESSION_HELP))
          .addOption(onAskOption)
          .addOption(waitForModelOption),
      ),
    ).addOption(outputFormatOption),
  async run(given: string | undefined, options: Options) {
    const result = await openRunResult(options);
    const { output } = result;
    const settings = { onAsk: options.onAsk, 'retry.waitMs': options.waitForModel };
    await using client = await openClient(options, { settings, onNotice: output.note });
    const { onAsk, asks } = toOnAsk(options, await client.settings());
    const session = await client.session(await chooseSession(client, given));
    const limits = toLimits(options);
    const request = { onAsk, openRunOnAsk: options.onAsk, waitForModelMs: options.waitForModel, limits };
    await client.resume(session.id, request);
    const run = { client, session, show: options, output, asks, onAsk };
    return await result.finish(run, await runSession(run));
  },
};
