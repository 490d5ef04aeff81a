import { toPrintable } from '@klaus/sdk/printable';
import { openClient } from '../../client/open-client.ts';
import { out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { printNotes } from './merge.ts';

export const command: LeafCommand = {
  name: 'keep',
  summary: 'keep the work of a working copy as a branch of the repository, and remove it',
  examples: ['klaus keep 01J'],
  description:
    'Commits the uncommitted changes of the working copy, creates its branch in the repository, and removes the working copy. No other branch changes. After klaus discard, it creates the branch of what was saved.',
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .option('--message <text>', 'message of the commit of uncommitted changes (default: the title of the session)')
      .option('--json', 'one JSON document'),
  async run(id: string, options: Options & { message?: string }) {
    const { message, json } = options;
    await using client = await openClient(options);
    const kept = await client.copies.keep(id, { message });
    if (json) out.json(kept, 2);
    else {
      out.write(`${toPrintable(`Kept as the branch ${kept.branch}: ${kept.commit.slice(0, 10)}`)}\n`);
      printNotes(kept.notes);
    }
  },
};
