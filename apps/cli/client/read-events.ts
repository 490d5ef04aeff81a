import type { Event } from '@klaus/sdk';
import type { SessionStates } from '@klaus/sdk/session-states';

/**
 * The events of a session after `after`. The engine is loaded only for records that it converts or reports as damaged.
 *
 * @param id Complete.
 */
export async function* readEvents(states: SessionStates, id: string, after: number): AsyncGenerator<Event> {
  for (let last = after; ;) {
    const events = states.events(id, last);
    if (events === undefined) {
      const { openKlaus } = await import('./open-klaus.ts');
      await using klaus = await openKlaus();
      yield* (await klaus.session(id)).events(last);
      return;
    }
    if (events.length === 0) return;
    last += events.length;
    yield* events;
  }
}
