import { openClient } from '../../client/open-client.ts';
import { out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { printSaved } from './merge.ts';

export const command: LeafCommand = {
  name: 'discard',
  summary: 'remove the working copy of a session without merging it',
  examples: ['klaus discard 01J', 'klaus keep 01J              after that: a branch of what was saved'],
  description:
    'Removes the working copy. Its commits and its uncommitted changes are saved on private refs of the repository; klaus keep creates a branch of them.',
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .option('--force', 'do not save the changes')
      .option('--json', 'one JSON document'),
  async run(id: string, options: Options & { force?: boolean }) {
    const { force = false, json } = options;
    await using client = await openClient(options);
    const discarded = await client.copies.discard(id, { force });
    if (json) out.json(discarded, 2);
    else {
      out.write(`Discarded the working copy of session ${discarded.session}.\n`);
      printSaved(discarded.saved);
    }
  },
};
