import { formatBytes, formatCount } from '@klaus/sdk/transcript';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

export const gc: LeafCommand = {
  name: 'gc',
  summary: 'list states of workspaces in the bucket that no log needs and, with --yes, delete them',
  examples: ['klaus admin gc                 what would be deleted', 'klaus admin gc --yes'],
  description:
    'Of sessions without an event since `undo.keepDays`, only the newest state of their workspace is kept. Objects of the last day are never deleted. Sessions can run at the same time.',
  server: 'none',
  declare: (declared) => declared.option('--yes', 'delete it').option('--json', 'one JSON document'),
  async run({ yes, json }: { yes?: true; json?: true }) {
    const { openCluster } = await import('@klaus/sdk/cluster');
    await using cluster = await openCluster();
    const dryRun = yes !== true;
    const report = await cluster.klaus.collectArchive({ dryRun });
    if (json) return out.json({ ...report, dryRun });
    const { seen, deleted, bytes } = report;
    const what = dryRun ? 'would be deleted with `--yes`' : 'were deleted';
    out.write(`${formatCount(deleted)} of ${formatCount(seen)} objects (${formatBytes(bytes)}) ${what}.\n`);
  },
};
