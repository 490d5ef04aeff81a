import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { printSaved } from './merge.ts';

export const command: LeafCommand = {
  name: 'discard',
  summary: 'remove the working copy of a session without merging it',
  description:
    'Removes the working copy. Its commits and its uncommitted changes are saved on private refs of the repository, so that they can be restored.',
  footer: 'Example:\n  klaus discard 01J',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .option('--force', 'do not save the changes')
      .option('--json', 'one JSON document'),
  async run(id: string, { force = false, json }: Options & { force?: boolean }) {
    await using klaus = await openKlaus();
    const discarded = await klaus.copies.discard(id, { force });
    if (json) out.json(discarded, 2);
    else {
      out.write(`Discarded the working copy of session ${discarded.session}.\n`);
      printSaved(discarded.saved);
    }
  },
};
