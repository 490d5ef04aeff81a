import type { Command } from '../../protocol/index.ts';
import { createWork } from './create-work.ts';
import type { Engine } from './engine.ts';
import { isReceivable, receive } from './inbox.ts';
import { loadState } from '../state/load-state.ts';

/**
 * Applies queued commands of the given types to a session that no process holds. Starts and resumes no run. A command
 * that cannot be applied yet, such as a pin during a request, remains queued.
 *
 * @returns False while a live process holds the session; it applies them itself.
 */
export async function applyQueuedCommands(
  engine: Engine,
  session: string,
  types: readonly Command['type'][],
): Promise<boolean> {
  const lease = await engine.store.claim(session);
  if (!lease) return false;
  try {
    const state = await loadState(engine, session);
    const work = createWork({ engine, session, lease, state });
    for (const command of await engine.store.inbox(session)) {
      if (!types.includes(command.type) || !isReceivable(state, command)) continue;
      await work.append((await receive(work, command)) ?? [], [command.id]);
    }
    return true;
  } finally {
    await lease.release();
  }
}
