import { snapshotAfter, snapshotWorkspace } from './snapshot-workspace.ts';
import { noteProcesses } from '../calls/processes.ts';
import type { Work } from '../loop/work.ts';

/**
 * Looks at the workspace once more before a run ends in which background processes were at work, so that nothing they
 * did behind the last turn stays. Where the run is all that its Klaus does, they end first.
 */
export async function lookLast(work: Work): Promise<void> {
  const { state, engine } = work;
  if (!state.run || state.processes.size === 0) return;
  if (engine.recorded) {
    if (!engine.recorded.looksLast()) return;
  } else if (engine.settings.endProcesses === 'run') await endProcesses(work);
  await noteProcesses(work);
  const before = await snapshotWorkspace(work);
  if (!before) return;
  if (before.length > 0) await work.append(before);
  // With calls open, the state is kept behind them.
  if (state.calls.length === 0) await snapshotAfter(work);
}

async function endProcesses({ engine, session, state }: Work): Promise<void> {
  const processes = engine.openProcesses(session);
  for (const { id, survives, last } of state.processes.values())
    if (last.state === 'started' && !survives)
      await processes.stop(id, { reason: 'the run that had started it ended' });
}
