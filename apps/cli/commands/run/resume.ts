import { openClient } from '../../client/open-client.ts';
import { createOutput } from '../../output/show-output.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import {
  addLimitOptions,
  addShowOptions,
  onAskOption,
  toLimits,
  waitForModelOption,
} from '../../program/run-options.ts';
import { runSession } from '../../run/run-session.ts';
import { toOnAsk } from '../../run/run-session.ts';

export const command: LeafCommand = {
  name: 'resume',
  summary: 'continue after a crash, a limit, a failure or a cancellation',
  description: 'Continues a session whose run ended early. --budget-… and --max-… set new limits.',
  server: 'both',
  declare: (declared) =>
    addShowOptions(
      addLimitOptions(
        declared.addArgument(new IdArgument('<id>', 'sessions')).addOption(onAskOption).addOption(waitForModelOption),
      ),
    ),
  async run(id: string, options: Options) {
    const output = createOutput(options);
    const settings = { onAsk: options.onAsk, 'retry.waitMs': options.waitForModel };
    await using client = await openClient(options, { settings, onNotice: output.note });
    const { onAsk, asks } = toOnAsk(options, await client.settings());
    const session = await client.session(id);
    const limits = toLimits(options);
    await client.resume(session.id, { onAsk, waitForModelMs: options.waitForModel, limits });
    return await runSession({ client, session, show: options, output, asks });
  },
};
