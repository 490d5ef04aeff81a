import type { Command } from '../../protocol/index.ts';
import { loadState } from './load-state.ts';
import type { Engine } from './engine.ts';
import { isReceivable, receive } from './inbox.ts';
import { createWork } from './work.ts';

/**
 * Serves the commands of these types in the inbox of a session that nobody holds, and nothing else: no run goes
 * on by it. What needs a moment that has not come, such as the end of a request, stays where it is.
 *
 * @returns False while a live process holds the session; it serves them itself.
 */
export async function serveCommands(
  engine: Engine,
  session: string,
  types: readonly Command['type'][],
): Promise<boolean> {
  const lease = await engine.store.claim(session);
  if (!lease) return false;
  try {
    const state = await loadState(engine, session);
    const stop = new AbortController().signal;
    const work = createWork({ engine, session, lease, state, stop, isLeaving: () => false });
    for (const command of await engine.store.inbox(session)) {
      if (!types.includes(command.type) || !isReceivable(state, command)) continue;
      await work.append((await receive(work, command)) ?? [], [command.id]);
    }
    return true;
  } finally {
    await lease.release();
  }
}
