import { openClient } from '../../client/open-client.ts';
import { canAsk, createOutput } from '../../output/show-output.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addShowOptions } from '../../program/run-options.ts';
import { runSession } from '../../run/run-session.ts';
import { chooseSession, SESSION_HELP } from './chosen-session.ts';

export const command: LeafCommand = {
  name: 'compact',
  summary: 'replace old messages of the context by a summary',
  examples: ['klaus compact', 'klaus compact 01J'],
  description:
    'Compacts the context of a session, in its active run before the next request to the model, otherwise at once. The log keeps everything.',
  server: 'both',
  declare: (declared) => addShowOptions(declared.addArgument(new IdArgument('[id]', 'sessions', SESSION_HELP))),
  async run(given: string | undefined, options: Options) {
    const output = createOutput(options);
    await using client = await openClient(options, { onNotice: output.note });
    const session = await client.session(await chooseSession(client, given));
    await client.compact(session.id);
    return await runSession({ client, session, show: options, output, asks: canAsk(options), sent: 'message' });
  },
};
