import type { SessionStore } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { canBeTitle, fitTitle } from './fit-title.ts';

/** Most sessions that are compared with a title. */
const MAX_COMPARED = 50;

/**
 * The full id of a session that the user names by its id, the beginning of it, or its title.
 *
 * @throws KlausError `usage` naming the nearest session, or those that are meant.
 */
export async function findKnownSession(store: SessionStore, given: string): Promise<string> {
  const row = await store.session(given);
  if (row) return row.id;
  const found = canBeTitle(given) ? await store.sessions({ search: given, limit: MAX_COMPARED }) : [];
  const fitting = fitTitle(given, found);
  if (fitting.length === 1) return fitting[0]!.id;
  if (fitting.length > 1) {
    throw new KlausError('usage', `Several sessions are called ${JSON.stringify(given)}.`, {
      hint: `Write one of the ids: ${fitting.map(({ id }) => id).join(', ')}.`,
    });
  }
  const nearest = await store.nearestSession(given);
  const hint = nearest === undefined ? 'klaus sessions lists them.' : `Did you mean ${nearest}?`;
  throw new KlausError('usage', `There is no session ${given}.`, { hint });
}
