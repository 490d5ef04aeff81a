import type { Command } from '../../protocol/index.ts';
import type { Engine } from './engine.ts';
import { receive } from './inbox.ts';
import { isReceivable } from './receivable.ts';
import { withSession } from './with-session.ts';

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
  const isApplied = await withSession(engine, { session }, async (work) => {
    for (const command of await engine.store.inbox(session)) {
      if (!types.includes(command.type) || !isReceivable(work.state, command)) continue;
      await work.append((await receive(work, command)) ?? [], [command.id]);
    }
    return true;
  });
  return isApplied ?? false;
}
