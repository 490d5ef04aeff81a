import { openClient } from '../../client/open-client.ts';
import { err } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';

const RESULTS = {
  idle: 'Nothing is running in',
  cancelled: 'Cancelled the run of',
  stopping: 'Another process is stopping the run of',
} as const;

export const command: LeafCommand = {
  name: 'cancel',
  summary: 'stop the run of a session in any process',
  replacedBy: 'klaus interrupt',
  examples: ['klaus cancel 01J'],
  server: 'both',
  declare: (declared) => declared.addArgument(new IdArgument('<id>', 'sessions')),
  async run(id: string, options: Options) {
    await using client = await openClient(options);
    const { session, state } = await client.cancel(id, 'The user stopped the run with klaus cancel.');
    err.write(`${RESULTS[state]} session ${session}.\n`);
  },
};
