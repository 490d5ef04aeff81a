import type { WorkingCopy } from '@klaus/sdk';
import { formatNumber } from '@klaus/sdk/transcript';
import { openClient } from '../../client/open-client.ts';
import { openKlaus } from '../../client/open-klaus.ts';
import { toShortPath } from '../../output/short-path.ts';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { UsageError } from '../../program/cli-error.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { printSaved } from './merge.ts';

export const command: LeafCommand = {
  name: 'copies',
  summary: 'list the working copies of sessions',
  examples: [
    'klaus copies --clean',
    'klaus copies --prune --dry-run     what was discarded in this repository more than 30 days ago',
  ],
  description:
    'Lists the working copies with their state: clean, changed (uncommitted changes), ahead (commits), merged, gone (the folder was deleted), unreadable, unfinished; orphaned if the session was deleted.',
  server: 'both',
  declare: (declared) =>
    declared
      .option('--clean', 'remove those that are merged or orphaned; changes are saved as by klaus discard')
      .option('--prune', 'delete the refs of this repository with changes that were discarded more than 30 days ago')
      .option('--dry-run', 'with --clean or --prune: only list them')
      .option('--json', 'one object per line'),
  async run({ clean, prune, json, ...options }: CopiesOptions) {
    const dryRun = options.dryRun === true;
    if (clean && prune) throw new UsageError('--clean and --prune exclude each other.');
    if (prune) {
      if (toGivenServer(options) !== undefined) throw new UsageError('--prune works on a repository of this machine.');
      await using klaus = await openKlaus();
      const refs = await klaus.copies.prune(process.cwd(), { dryRun });
      printRows(
        refs.map((ref) => ({ ref })),
        { json, head: ['REF'], toRow: ({ ref }) => [ref], empty: 'Nothing to delete.' },
      );
      return;
    }
    await using client = await openClient(options);
    const copies: readonly (WorkingCopy & { saved?: readonly string[] })[] = clean
      ? await client.copies.clean({ dryRun })
      : await client.copies.list();
    printRows(copies, {
      json,
      head: ['SESSION', 'STATE', 'BRANCH', 'REPOSITORY', 'FOLDER'],
      toRow,
      empty: clean
        ? 'Nothing to remove.'
        : 'There are no working copies. `klaus start AGENT PROMPT --worktree` starts in one.',
    });
    if (!json) printSaved(copies.flatMap(({ saved = [] }) => saved));
  },
};

interface CopiesOptions extends Options {
  clean?: true;
  prune?: true;
}

function toRow({ session, state, isOrphaned, ahead, changes, branch, repository, path }: WorkingCopy): string[] {
  const facts = [
    isOrphaned ? `${state}, orphaned` : state,
    ...(ahead > 0 ? [formatNumber(ahead, 'commit')] : []),
    ...(changes > 0 ? [formatNumber(changes, 'changed file')] : []),
  ];
  return [session, facts.join(', '), branch, toShortPath(repository), path];
}
