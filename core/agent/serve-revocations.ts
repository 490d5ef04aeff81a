import { loadState } from './load-state.ts';
import type { Engine } from './engine.ts';
import { toGrantChange } from './grant-change.ts';
import { createWork } from './work.ts';

/**
 * Serves the revocations in the inbox of a session that nobody holds, and nothing else: no run goes on by it.
 *
 * @returns False while a live process holds the session; it serves them before its next call.
 */
export async function serveRevocations(engine: Engine, session: string): Promise<boolean> {
  const lease = engine.store.claim(session);
  if (!lease) return false;
  try {
    const state = loadState(engine, session);
    const stop = new AbortController().signal;
    const work = createWork({ engine, session, lease, state, stop, isLeaving: () => false });
    for (const command of engine.store.inbox(session)) {
      if (command.type === 'revoke') await work.append(toGrantChange(state, command), [command.id]);
    }
    return true;
  } finally {
    lease.release();
  }
}
