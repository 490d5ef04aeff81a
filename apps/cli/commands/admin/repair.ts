import type { RepairedSession, RepairReport } from '@klaus/sdk/cluster';
import { formatNumber } from '@klaus/sdk/transcript';
import { toScriptedServer } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT, type ExitCode } from '../../program/exit-codes.ts';

export const repair: LeafCommand = {
  name: 'repair',
  summary: 'verify sessions, repair what is derived from their logs, and wake what waits',
  examples: ['klaus admin repair --dry-run', 'klaus admin repair 01KT 01KV --json'],
  description:
    'Verifies the hash chains, folds tables and cached states again that differ from their logs, wakes sessions with something to do, and sets the timers of approvals. A damaged log is reported and never changed.',
  footer: 'Exit code 1 if a log, or the host chain, is damaged.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('[sessions...]', 'session ids or their beginnings; default: all')
      .option('--dry-run', 'only report what would be repaired')
      .option('--json', 'one JSON document'),
  async run(given: readonly string[], { dryRun, json }: { dryRun?: true; json?: true }) {
    const { openCluster, repairSessions } = await import('@klaus/sdk/cluster');
    await using cluster = await openCluster({ endProcesses: 'close', scripted: toScriptedServer });
    const { klaus, scheduler } = cluster;
    const sessions: string[] = [];
    for (const id of given) {
      const found = await klaus.store.session(id);
      if (!found) throw new UsageError(`There is no session ${id} in the cluster.`);
      sessions.push(found.id);
    }
    const report = await repairSessions({
      ...{ store: klaus.store, scheduler, dryRun: dryRun === true },
      ...(sessions.length > 0 ? { sessions } : {}),
    });
    if (json) out.json({ dryRun: dryRun === true, ...report }, 2);
    else print(report, dryRun === true);
    return toExit(report);
  },
};

function print({ sessions, examined, host }: RepairReport, dryRun: boolean): void {
  for (const session of sessions) out.write(`${session.session}: ${toWords(session).join('; ')}\n`);
  if (host !== null) out.write(`Host chain: ${host}\n`);
  const what = `${formatNumber(examined, 'session')} examined`;
  err.write(dryRun ? `${what}. Nothing was changed: \`--dry-run\` is set.\n` : `${what}.\n`);
}

function toWords({ log, message, woken, timer }: RepairedSession): string[] {
  return [
    ...(log === 'intact' ? [] : [`${log}: ${message ?? ''}`]),
    ...(woken ? ['woken'] : []),
    ...(timer === null ? [] : [`timer at ${new Date(timer).toISOString()}`]),
  ];
}

function toExit({ sessions, host }: RepairReport): ExitCode {
  return host !== null || sessions.some(({ log }) => log === 'damaged') ? EXIT.failed : EXIT.done;
}
