import { availableParallelism } from 'node:os';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';

/** Sessions at the same time by default, at most: each can use a core for the commands that it runs. */
const MOST_SLOTS = 8;

export const command: LeafCommand = {
  name: 'worker',
  summary: 'run sessions of a cluster on this machine',
  examples: [
    'klaus worker',
    'klaus worker --slots 4 --health-port 9464 --json',
    'npm install --global $(klaus worker --packages)',
  ],
  description:
    'Runs sessions of a cluster until it is stopped. The settings `cluster.*` name its Postgres, its bucket and its Temporal. The first SIGTERM or Ctrl-C lets each run finish its current step and gives the sessions to other workers; the second one exits immediately.',
  footer: '/health answers 200, or 503 if it takes no sessions. /metrics has the text format of Prometheus.',
  server: 'none',
  declare: (declared) =>
    declared
      .option(
        '--slots <count>',
        `sessions at the same time (default: one for each core, at most ${MOST_SLOTS})`,
        integer(1, 1_000),
      )
      .option('--health-port <number>', 'serve /health and /metrics; 0 means any free port', integer(0, 65_535))
      .option('--health-host <address>', 'address for them; every client that reaches it can read them', '127.0.0.1')
      .option(
        '--packages',
        'print the packages that a worker and a server of a cluster need, for npm install, and exit',
      )
      .option('--json', 'print one JSON object when it is ready: slots, health, pid; the log is JSON too'),
  async run(options: { slots?: number; healthPort?: number; healthHost: string; packages?: true; json?: true }) {
    const { slots = Math.min(availableParallelism(), MOST_SLOTS), healthPort, healthHost, json = false } = options;
    if (options.packages) return printPackages();
    const { runWorker } = await import('../../worker/run-worker.ts');
    const health = healthPort === undefined ? undefined : { host: healthHost, port: healthPort };
    await runWorker({ slots, health, json });
  },
};

async function printPackages(): Promise<void> {
  const { CLUSTER_PACKAGES } = await import('@klaus/sdk/cluster');
  out.write(
    `${Object.entries(CLUSTER_PACKAGES)
      .map((each) => each.join('@'))
      .join(' ')}\n`,
  );
}
