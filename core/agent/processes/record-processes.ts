import { createWork } from '../loop/create-work.ts';
import type { Engine } from '../loop/engine.ts';
import { loadState } from '../state/load-state.ts';
import { recordProcessEnds, takeOverProcesses } from './process-events.ts';

/**
 * Records which background processes of a session have ended, if no process holds it. Starts and resumes no run.
 *
 * @returns False while a live process holds the session; it records them itself before its next step.
 */
export async function recordProcesses(engine: Engine, session: string): Promise<boolean> {
  const lease = await engine.store.claim(session);
  if (!lease) return false;
  try {
    const work = createWork({ engine, session, lease, state: await loadState(engine, session) });
    await takeOverProcesses(work);
    await recordProcessEnds(work);
    return true;
  } finally {
    await lease.release();
  }
}
