import type { Engine } from '../loop/engine.ts';
import { withSession } from '../loop/with-session.ts';
import { recordProcessEnds, takeOverProcesses } from './process-events.ts';

/** Records which background processes have ended. False while a live process holds the session and records them. */
export async function recordProcesses(engine: Engine, session: string): Promise<boolean> {
  const isRecorded = await withSession(engine, { session }, async (work) => {
    await takeOverProcesses(work);
    await recordProcessEnds(work);
    return true;
  });
  return isRecorded ?? false;
}
