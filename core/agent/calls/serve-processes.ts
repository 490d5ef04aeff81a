import { loadState } from '../loop/load-state.ts';
import type { Engine } from '../loop/engine.ts';
import { noteProcesses, takeOverProcesses } from './processes.ts';
import { createWork } from '../loop/work.ts';

/**
 * Takes into the log of a session that nobody holds what became of its background processes; no run goes on by it.
 *
 * @returns False while a live process holds the session; it does this itself before its next step.
 */
export async function serveProcesses(engine: Engine, session: string): Promise<boolean> {
  const lease = await engine.store.claim(session);
  if (!lease) return false;
  try {
    const state = await loadState(engine, session);
    const stop = new AbortController().signal;
    const work = createWork({ engine, session, lease, state, stop, isLeaving: () => false });
    await takeOverProcesses(work);
    await noteProcesses(work);
    return true;
  } finally {
    await lease.release();
  }
}
