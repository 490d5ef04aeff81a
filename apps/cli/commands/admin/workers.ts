import { setTimeout as delay } from 'node:timers/promises';
import type { OpenedAdministration } from '@klaus/sdk/cluster';
import { err, out } from '../../output/sink.ts';
import { printRows } from '../../output/table.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';

type WorkerRow = Awaited<ReturnType<OpenedAdministration['administration']['workers']>>[number];

/** Milliseconds between two looks at a worker that drains. */
const LOOK_MS = 250;

export const workers: LeafCommand = {
  name: 'workers',
  summary: 'list the workers of the cluster',
  examples: ['klaus admin workers --json'],
  description: 'A worker that was killed, or that cannot reach Postgres, is `lost`; it is listed for an hour.',
  server: 'none',
  declare: (declared) => declared.option('--json', 'one object per line'),
  async run({ json }: { json?: true }) {
    const { openAdministration } = await import('@klaus/sdk/cluster');
    await using opened = await openAdministration();
    const rows = (await opened.administration.workers()).map((row) => ({ ...row, state: toState(row) }));
    printRows(rows, {
      json,
      head: ['WORKER', 'STATE', 'RUNNING', 'SLOTS', 'HOST', 'PID', 'VERSION', 'LAST SEEN', 'HEALTH'],
      toRow: ({ id, state, running, slots, host, pid, version, seenAt, health }) => [
        ...[id, state, String(running), String(slots), host, String(pid), version, seenAt, health ?? ''],
      ],
      empty: 'No worker has reported. Start one with `klaus worker`.',
    });
  },
};

export const drain: LeafCommand = {
  name: 'drain',
  summary: 'end a worker after the current step of each of its runs',
  examples: [
    'klaus admin drain w-3f9a61c2',
    'klaus admin drain w-3f9a61c2 --wait             return when it has ended',
  ],
  description:
    'The same as SIGTERM, on any machine: the worker takes no more sessions, gives those that it has to other workers, and exits.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<worker>', 'id of a worker or its beginning')
      .option('--wait', 'return when the worker has ended')
      .option('--json', 'one JSON document'),
  async run(given: string, { wait, json }: { wait?: true; json?: true }) {
    const { openAdministration } = await import('@klaus/sdk/cluster');
    await using opened = await openAdministration();
    const { administration } = opened;
    const id = await findWorker(opened, given);
    if (!(await administration.drain(id))) {
      throw new UsageError(`The worker ${id} is not alive.`, 'Its sessions continue on other workers.');
    }
    const isLive = async (): Promise<boolean> =>
      (await administration.workers()).some((row) => row.id === id && row.isLive);
    while (wait && (await isLive())) await delay(LOOK_MS);
    const state = wait ? 'ended' : 'draining';
    if (json) out.json({ worker: id, state });
    else err.write(`The worker ${id} ${wait ? 'has ended' : 'drains'}.\n`);
    return EXIT.done;
  },
};

/** @throws UsageError for an unknown worker, or a beginning of several ids. */
async function findWorker({ administration }: OpenedAdministration, given: string): Promise<string> {
  const all = (await administration.workers()).map(({ id }) => id);
  const found = all.includes(given) ? [given] : all.filter((id) => id.startsWith(given));
  if (found.length === 1) return found[0]!;
  const why = found.length === 0 ? `There is no worker ${given}.` : `Several workers begin with ${given}.`;
  throw new UsageError(why, '`klaus admin workers` lists them.');
}

function toState({ isLive, draining, isAsked }: WorkerRow): 'ready' | 'draining' | 'lost' {
  if (!isLive) return 'lost';
  return draining || isAsked ? 'draining' : 'ready';
}
