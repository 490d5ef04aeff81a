import type { WorkingCopy } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { openClient } from '../../client/open-client.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { printSaved } from './merge.ts';

export const command: LeafCommand = {
  name: 'copies',
  summary: 'list the working copies of sessions',
  description:
    'Lists the working copies with their state: clean, changed (uncommitted changes), ahead (commits), merged, gone (the folder was deleted), unreadable, unfinished; orphaned if the session was deleted.',
  footer: 'Example:\n  klaus copies --clean',
  server: 'both',
  declare: (declared) =>
    declared
      .option('--clean', 'remove those that are merged or orphaned; changes are saved as by klaus discard')
      .option('--dry-run', 'with --clean: only list them')
      .option('--json', 'one JSON document'),
  async run(options: Options & { clean?: true }) {
    const { clean, dryRun, json } = options;
    await using client = await openClient(options);
    const { removed: copies, saved } = clean
      ? await client.copies.clean({ dryRun: dryRun === true })
      : { removed: await client.copies.list(), saved: [] };
    if (json) {
      out.json(clean ? { removed: copies, saved } : { copies }, 2);
      return;
    }
    if (copies.length === 0) err.write(clean ? 'Nothing to remove.\n' : 'There are no working copies.\n');
    for (const copy of copies) out.write(`${toLine(describe(copy), 2_000)}\n`);
    printSaved(saved);
  },
};

function describe({ session, state, isOrphaned, ahead, changes, branch, path }: WorkingCopy): string {
  const facts = [
    isOrphaned ? `${state}, orphaned` : state,
    ...(ahead > 0 ? [formatNumber(ahead, 'commit')] : []),
    ...(changes > 0 ? [formatNumber(changes, 'changed file')] : []),
  ];
  return `${session}  ${branch}  ${facts.join(', ')}  ${path}`;
}
