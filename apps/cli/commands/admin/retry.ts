import { formatNumber } from '@klaus/sdk/transcript';
import { toScriptedServer } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

export const retry: LeafCommand = {
  name: 'retry',
  summary: 'run the sessions now that wait for their next attempt',
  examples: ['klaus admin retry', 'klaus admin retry 01KT --json'],
  description:
    'After a failure of a service, the sweep tries a session again after a time that grows to 5 minutes. This wakes those that have something to do and that no worker runs.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('[sessions...]', 'session ids or their beginnings; default: all')
      .option('--dry-run', 'only list them')
      .option('--json', 'one JSON document'),
  async run(given: readonly string[], { dryRun = false, json }: { dryRun?: boolean; json?: true }) {
    const { openCluster, retrySessions } = await import('@klaus/sdk/cluster');
    await using cluster = await openCluster({ endProcesses: 'close', scripted: toScriptedServer });
    const { klaus, scheduler } = cluster;
    const sessions: string[] = [];
    for (const id of given) {
      const found = await klaus.store.session(id);
      if (!found) throw new UsageError(`There is no session ${id} in the cluster.`);
      sessions.push(found.id);
    }
    const woken = await retrySessions({
      ...{ store: klaus.store, scheduler, dryRun },
      ...(sessions.length > 0 ? { sessions } : {}),
    });
    if (json) return out.json({ dryRun, sessions: woken }, 2);
    for (const session of woken) out.write(`${session}\n`);
    err.write(`${formatNumber(woken.length, 'session')} ${dryRun ? 'would be' : 'were'} woken.\n`);
  },
};
