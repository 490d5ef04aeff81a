import type { Engine } from '../loop/engine.ts';
import { withSession } from '../loop/with-session.ts';
import { recordProcessEnds, takeOverProcesses } from './process-events.ts';

/**
 * Records which background processes of a session have ended, if no process holds it. Starts and resumes no run.
 *
 * @returns False while a live process holds the session; it records them itself before its next step.
 */
export function recordProcesses(engine: Engine, session: string): Promise<boolean> {
  return withSession(engine, session, async (work) => {
    await takeOverProcesses(work);
    await recordProcessEnds(work);
  });
}
