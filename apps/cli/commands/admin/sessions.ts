import type { ListedSession, SessionList, SessionState } from '@klaus/sdk/cluster';
import { formatDuration } from '@klaus/sdk/transcript';
import { Option } from 'commander';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';

/** As `SESSION_STATES` of the SDK, which is not loaded for a declaration. */
const STATES = ['running', 'waiting', 'queued', 'idle', 'stuck', 'moved'] as const satisfies readonly SessionState[];

interface Options {
  state?: SessionState;
  stuckAfter: number;
  limit: number;
  json?: true;
}

const list = async ({ state, stuckAfter, limit, json }: Options): Promise<void> => {
  const { openAdministration } = await import('@klaus/sdk/cluster');
  await using opened = await openAdministration();
  const found = await opened.list({ state, stuckMs: stuckAfter * 1_000, limit });
  if (json) out.json(found, 2);
  else print(found, state);
};

export const sessions: LeafCommand = {
  name: 'sessions',
  summary: 'list the sessions of the cluster by their state',
  examples: ['klaus admin sessions', 'klaus admin sessions --state queued --json'],
  description:
    'States: `running` on a worker, `waiting` for an approval, `queued` with something to do, `stuck` (see klaus admin stuck), `moved` to another place, `idle`.',
  server: 'none',
  declare: (declared) =>
    declared
      .addOption(new Option('--state <state>', 'only sessions in this state').choices(STATES))
      .option('--stuck-after <seconds>', 'time after which a session counts as stuck', integer(1), 60)
      .option('--limit <count>', 'maximum number of sessions', integer(1), 100)
      .option('--json', 'one JSON document: counts and sessions'),
  run: list,
};

export const stuck: LeafCommand = {
  name: 'stuck',
  summary: 'list the sessions that should run and do not',
  examples: ['klaus admin stuck', 'klaus admin stuck --stuck-after 600 --json'],
  description:
    'Reasons: `worker` that has it does not answer, `command` waits for too long, `run` without an end and without a worker, `problem` of the worker that tried it, `move` that is not complete.',
  footer: 'The sweep of each worker wakes them; klaus admin repair does it now.',
  server: 'none',
  declare: (declared) =>
    declared
      .option('--stuck-after <seconds>', 'time after which a session counts as stuck', integer(1), 60)
      .option('--limit <count>', 'maximum number of sessions', integer(1), 100)
      .option('--json', 'one JSON document: counts and sessions'),
  run: (options: Omit<Options, 'state'>) => list({ ...options, state: 'stuck' }),
};

function print({ counts, sessions: rows }: SessionList, state: SessionState | undefined): void {
  err.write(`${STATES.map((each) => `${counts[each]} ${each}`).join(', ')}\n`);
  if (rows.length === 0) err.write(state === undefined ? 'There are no sessions.\n' : `No session is ${state}.\n`);
  else
    out.write(
      toTable([['SESSION', 'STATE', 'WORKER', 'SINCE', 'OLDEST COMMAND', 'WORKSPACE', 'WHY'], ...rows.map(toRow)]),
    );
}

function toRow(row: ListedSession): string[] {
  const { id, state, reason, worker, idleMs, waitingMs, workspace, problem, place } = row;
  const why = reason === 'problem' ? `${problem!.code}: ${problem!.message}` : (place ?? reason ?? '');
  const waiting = waitingMs === null ? '' : formatDuration(waitingMs);
  return [id, state, worker ?? '', formatDuration(idleMs), waiting, workspace, why];
}
