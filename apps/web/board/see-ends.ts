import { markSeen } from '../actions/session-actions.ts';
import { host } from '../state/host.ts';

/** Marks the ends of runs as seen: the user has decided what becomes of these sessions. */
export async function seeEnds(sessions: readonly string[]): Promise<void> {
  const items = host.get().attention.items.filter(({ session }) => sessions.includes(session));
  for (const item of items) await markSeen(item);
}
