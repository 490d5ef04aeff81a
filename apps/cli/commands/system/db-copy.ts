import type { CopiedSession, CopyReport } from '@klaus/sdk/cluster';
import { formatNumber } from '@klaus/sdk/transcript';
import { Option } from 'commander';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT, type ExitCode } from '../../program/exit-codes.ts';

interface Options {
  to?: 'cluster';
  from?: 'cluster';
  session?: string[];
  keep?: true;
  dryRun?: true;
  wait?: true;
  json?: true;
}

const collect = (id: string, before: readonly string[] = []): string[] => [...before, id];

export const copy: LeafCommand = {
  name: 'copy',
  summary: 'move sessions of this state folder into a cluster, or back',
  examples: [
    'klaus db copy --to cluster --dry-run',
    'klaus db copy --to cluster --wait',
    'klaus db copy --from cluster --session 01KT --session 01KV',
    'klaus db copy --from cluster --keep             a copy of all sessions, which cannot run here',
  ],
  description:
    'Moves sessions between the state folder of this machine and the cluster that the settings `cluster.*` name: logs with their hashes, waiting commands, blobs, states of workspaces, notes of the memory. A moved session runs at the target only; its records stay at the source. An interrupted copy continues when the command runs again, and copies only what is new.',
  footer: 'Exit code 1 if a session could not be copied, and 9 if a process works on one; all others are copied.',
  server: 'none',
  declare: (declared) =>
    declared
      .addOption(new Option('--to <place>', 'where the sessions go').choices(['cluster']))
      .addOption(new Option('--from <place>', 'from where they come').choices(['cluster']))
      .option('--session <id>', 'only this session and those of its tree; can be repeated', collect)
      .option('--keep', 'the sessions stay where they run; the copy cannot run')
      .option('--wait', 'wait for sessions on which a process works')
      .option('--dry-run', 'only report what would be copied')
      .option('--json', 'one object per session, and one with the sums'),
  async run({ to, from, session, keep, dryRun, wait, json }: Options) {
    if ((to === undefined) === (from === undefined)) {
      throw new UsageError('The direction is missing, or both are given.', 'Use `--to cluster` or `--from cluster`.');
    }
    const { copySessions, openCopy } = await import('@klaus/sdk/cluster');
    await using opened = await openCopy();
    const [source, target] = to ? (['home', 'cluster'] as const) : (['cluster', 'home'] as const);
    const sessions: string[] = [];
    for (const id of session ?? []) {
      const found = await opened.findSession(source, id);
      if (found === undefined) throw new UsageError(`There is no session ${id} at ${opened[source].place}.`);
      sessions.push(found);
    }
    const report = await copySessions({
      from: opened[source],
      to: opened[target],
      copyState: (root, tree) => opened.copyState(target, root, tree),
      by: 'cli',
      ...(session ? { sessions } : {}),
      ...{ keep: keep === true, dryRun: dryRun === true, wait: wait === true },
      onSession(copied, progress) {
        if (json) out.json(copied);
        else printSession(copied);
        if (err.isTTY) err.replaceLine(`${progress.done} of ${formatNumber(progress.all, 'session')}`);
      },
    });
    if (err.isTTY) err.replaceLine('');
    printSums(report, { json: json === true, dryRun: dryRun === true });
    return toExit(report);
  },
};

/** Sessions of which nothing was copied are only counted. */
function printSession({ session, outcome, events, missingBlobs, missingStates, error }: CopiedSession): void {
  if (err.isTTY) err.replaceLine('');
  if (error) err.write(`${session}: ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}\n`);
  else if (outcome !== 'skipped') out.write(`${session}: ${outcome}, ${formatNumber(events, 'event')}\n`);
  if (missingBlobs.length > 0)
    err.write(`${session}: ${formatNumber(missingBlobs.length, 'large output')} could not be found at the source.\n`);
  if (missingStates > 0)
    err.write(
      `${session}: ${formatNumber(missingStates, 'state')} of the workspace could not be found: no undo of it.\n`,
    );
}

function printSums({ sessions, notes }: CopyReport, { json, dryRun }: { json: boolean; dryRun: boolean }): void {
  const counts = { copied: 0, continued: 0, skipped: 0, busy: 0, failed: 0 };
  let events = 0;
  for (const copied of sessions) {
    counts[copied.outcome] += 1;
    events += copied.events;
  }
  if (json) return out.json({ sum: { ...counts, events, notes, dryRun } });
  const words = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  const what = `${words.join(', ')}; ${formatNumber(events, 'event')}, ${formatNumber(notes, 'note')}`;
  out.write(dryRun ? `Without \`--dry-run\`: ${what}\n` : `${what}\n`);
}

function toExit({ sessions }: CopyReport): ExitCode {
  if (sessions.some(({ outcome }) => outcome === 'failed')) return EXIT.failed;
  return sessions.some(({ outcome }) => outcome === 'busy') ? EXIT.busy : EXIT.done;
}
