import { recordProcessEnds } from '../processes/process-events.ts';
import type { Work } from '../loop/work.ts';
import { snapshotAfter, snapshotWorkspace } from './snapshot-workspace.ts';

/** Takes another snapshot at the end, so that later changes of the run's background processes are guarded too. */
export async function snapshotAtEnd(work: Work): Promise<void> {
  const { state, engine } = work;
  if (!state.run || state.processes.size === 0) return;
  if (engine.settings.endProcesses === 'run') await endProcesses(work);
  await recordProcessEnds(work);
  const before = await snapshotWorkspace(work);
  if (!before) return;
  if (before.length > 0) await work.append(before);
  // If calls are open, the snapshot is taken after them.
  if (state.calls.length === 0) await snapshotAfter(work);
}

async function endProcesses({ engine, session, state }: Work): Promise<void> {
  const processes = engine.openProcesses(session);
  for (const { id, survives, last } of state.processes.values())
    if (last.state === 'started' && !survives)
      await processes.stop(id, { reason: 'the run that had started it ended' });
}
