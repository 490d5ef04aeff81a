import type { ProcessStatus } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { describeProcessState, formatBytes, formatDuration } from '@klaus/sdk/transcript';
import { openKlaus } from '../../client/open-klaus.ts';
import { printRows } from '../../output/table.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';

export const command: LeafCommand = {
  name: 'ps',
  summary: 'list background processes',
  examples: ['klaus ps', 'klaus ps 01J'],
  description: 'Lists the background processes that run, of all sessions or of one.',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions'))
      .option('--all', 'also those that have ended')
      .option('--json', 'one object per line'),
  async run(id: string | undefined, { all, json }: { all?: true; json?: true }) {
    await using klaus = await openKlaus();
    const rows = klaus.processes(id === undefined ? undefined : (await klaus.session(id)).id);
    printRows(all ? rows : rows.filter(({ state }) => state === 'running'), {
      json,
      head: ['PROCESS', 'STATE', 'PID', 'TIME', 'OUTPUT', '', 'COMMAND'],
      toRow,
      empty: `No background process runs.${all ? '' : ' `klaus ps --all` lists those that have ended.'}`,
    });
  },
};

function toRow(row: ProcessStatus): string[] {
  return [
    `${row.session}/${row.id}`,
    describeProcessState(row),
    row.pid === null ? '' : String(row.pid),
    toAge(row),
    formatBytes(row.bytes),
    row.survives ? 'survives' : '',
    toLine(row.command, 200),
  ];
}

function toAge({ startedAt, endedAt, state }: ProcessStatus): string {
  const until = state === 'running' ? Date.now() : endedAt;
  return until === null ? '' : formatDuration(Math.max(0, until - startedAt));
}
