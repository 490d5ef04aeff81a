import { openClient } from '../../client/open-client.ts';
import { canAsk, createOutput } from '../../output/show-output.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addShowOptions } from '../../program/run-options.ts';
import { runSession } from '../../run/run-session.ts';

export const command: LeafCommand = {
  name: 'compact',
  summary: 'replace old messages of the context by a summary',
  examples: ['klaus compact 01J'],
  description:
    'Compacts the context of a session, in its active run before the next request to the model, otherwise at once. The log keeps everything.',
  server: 'both',
  declare: (declared) => addShowOptions(declared.addArgument(new IdArgument('<id>', 'sessions'))),
  async run(id: string, options: Options) {
    const output = createOutput(options);
    await using client = await openClient(options, { onNotice: output.note });
    const session = await client.session(id);
    await client.compact(session.id);
    return await runSession({ client, session, show: options, output, asks: canAsk(options), sent: 'message' });
  },
};
