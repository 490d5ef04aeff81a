import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { createRecorder, reaches } from '../conformance/recorder.ts';
import { loadWorker } from './packages.ts';
import { openTemporalScheduler } from './temporal-scheduler.ts';
import { provideTemporal, openTemporal, WORKFLOW_CACHE } from './temporal-server.fixture.ts';
import { provideWorkflowBundle } from './workflow-bundle.ts';

/** Histories of sessions by each version of the workflow, which it has to continue, as protocol buffers. */
const FOLDER = join(import.meta.dirname, 'fixtures');
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.history'));
const timeout = 120_000;

type History = temporal.api.history.v1.IHistory;
const { History } = temporal.api.history.v1;

const read = (name: string): History => History.decode(readFileSync(join(FOLDER, name)));

/** Replays a history with the present workflow. */
async function replay(history: History): Promise<void> {
  const { worker } = loadWorker();
  const codePath = await provideWorkflowBundle({ worker }, WORKFLOW_CACHE);
  await worker.Worker.runReplayHistory({ workflowBundle: { codePath } }, history, 'session-A');
}

test.each(names)('the workflow continues the sessions of %s', { timeout }, async (name) => {
  await expect(replay(read(name))).resolves.toBeUndefined();
});

test('a history with another order of commands is refused', { timeout }, async () => {
  const history = read(names[0]!);
  const scheduled = history.events!.find((event) => event.activityTaskScheduledEventAttributes);
  scheduled!.activityTaskScheduledEventAttributes!.activityType!.name = 'another';
  await expect(replay(history)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
});

const { program, reason } = provideTemporal();

test.skipIf(program === undefined)(
  // `RECORD_HISTORY=NAME` stores it, after a change of the workflow.
  `the history of a session with each outcome can be replayed${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  { timeout },
  async () => {
    const history = await recordHistory();
    const name = process.env['RECORD_HISTORY'];
    if (name !== undefined) writeFileSync(join(FOLDER, `${name}.history`), History.encode(history).finish());
    await expect(replay(history)).resolves.toBeUndefined();
  },
);

/** Without the names of processes and machines. */
async function recordHistory(): Promise<History> {
  await using server = await openTemporal(program!);
  const { address, namespace } = server;
  await using scheduler = await openTemporalScheduler({ address, namespace, cacheFolder: WORKFLOW_CACHE });
  const wakeAndWait = async () => {
    await scheduler.wake('A', 'command');
    return { state: 'waiting', until: Date.now() + 3_600_000 } as const;
  };
  const waitShortly = async () => ({ state: 'waiting', until: Date.now() + 300 }) as const;
  const { run, ended } = createRecorder({
    A: [wakeAndWait, { state: 'held' }, { state: 'paused' }, { state: 'waiting' }, waitShortly, new Error('failed')],
  });
  await scheduler.at('A', Date.now() + 3_600_000);
  const worker = scheduler.work(run, { slots: 1 });
  await scheduler.wake('A', 'command');
  await ended('A', 4);
  await reaches(scheduler, 'A', 'waiting');
  await scheduler.at('A', Date.now() + 300);
  await ended('A', 5);
  await ended('A', 6);
  await worker.stop(10_000);
  const connection = await Connection.connect({ address });
  const history = await new Client({ connection, namespace }).workflow.getHandle('session-A').fetchHistory();
  await connection.close();
  return withoutIdentities(history);
}

/** Replaces values such as `123@host` in place. */
function withoutIdentities<T extends object>(value: T): T {
  for (const [key, part] of Object.entries(value)) {
    if (typeof part === 'string' && /^\d+@/.test(part)) Object.assign(value, { [key]: 'test' });
    else if (typeof part === 'object' && part !== null && !ArrayBuffer.isView(part)) withoutIdentities(part);
  }
  return value;
}
