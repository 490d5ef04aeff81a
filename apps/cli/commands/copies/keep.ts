import { optional } from '@klaus/sdk/optional';
import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'keep',
  summary: 'keep the work of a working copy as a branch of the repository, and remove it',
  description:
    'Commits the uncommitted changes of the working copy, creates its branch in the repository, and removes the working copy. No other branch changes.',
  footer: 'Example:\n  klaus keep 01J',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .option('--message <text>', 'message of the commit of uncommitted changes (default: the title of the session)')
      .option('--json', 'one JSON document'),
  async run(id: string, { message, json }: Options & { message?: string }) {
    await using klaus = await openKlaus();
    const kept = await klaus.copies.keep(id, optional({ message }));
    if (json) out.json(kept, 2);
    else out.write(`${toPrintable(`Kept as the branch ${kept.branch}: ${kept.commit.slice(0, 10)}`)}\n`);
  },
};
