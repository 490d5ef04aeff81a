import type { Event } from '../../protocol/index.ts';
import type { Store } from '../ports/store.ts';
import { FOLD_VERSION } from './fold-version.ts';
import { fold } from './fold.ts';
import { createState, type State } from './state.ts';

/** The state of a session: a cached one, if there is one, and a fold of the events after it. */
export async function loadState(
  engine: { store: Pick<Store, 'read' | 'stateCache'> },
  session: string,
): Promise<State> {
  const state = (await engine.store.stateCache?.read(session, FOLD_VERSION)) ?? createState();
  for await (const events of engine.store.read(session, state.seq)) for (const event of events) fold(state, event);
  return state;
}

/** All events of a session after `after`, which is 0 by default. */
export async function readLog(store: Pick<Store, 'read'>, session: string, after = 0): Promise<Event[]> {
  const log: Event[] = [];
  for await (const events of store.read(session, after)) for (const event of events) log.push(event);
  return log;
}
