import { toPrintable } from '@klaus/sdk/printable';
import { describeProcessState } from '@klaus/sdk/transcript';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { PROCESS_NAME } from './process-name.ts';

export const command: LeafCommand = {
  name: 'stop',
  summary: 'end a background process with everything that it started',
  examples: ['klaus stop 01J/p1'],
  description:
    'Asks every process in its sandbox to end, and kills the rest after three seconds. klaus interrupt ends a run.',
  footer: `${PROCESS_NAME}\n`,
  server: 'local',
  declare: (declared) =>
    declared
      .argument('<process>', 'such as 01J/p1')
      .option('--now', 'kill without asking first')
      .option('--json', 'one JSON document'),
  async run(name: string, options: { now?: true; json?: true }) {
    await using klaus = await openKlaus();
    const found = await klaus.process(name);
    const before = found.status();
    const wasRunning = before.state === 'running';
    const status = wasRunning
      ? (await found.stop({ by: 'klaus stop', ...(options.now ? { graceMs: 0 } : {}) })).status
      : before;
    if (options.json) return out.json({ ...status, wasRunning });
    const what = `${status.session}/${status.id}`;
    const line = wasRunning ? `${what} is stopped.` : `${what} does not run: ${describeProcessState(status)}.`;
    out.write(`${toPrintable(line)}\n`);
    for (const warning of status.warnings) err.write(`${toPrintable(warning)}\n`);
  },
};
