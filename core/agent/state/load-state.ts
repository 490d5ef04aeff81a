import type { Store } from '../ports/store.ts';
import { FOLD_VERSION } from './fold-version.ts';
import { fold } from './fold.ts';
import { createState, type State } from './state.ts';

/** The state of a session: a cached one, if there is one, and a fold of the events after it. */
export function loadState(engine: { store: Pick<Store, 'read' | 'stateCache'> }, session: string): State {
  const state = engine.store.stateCache?.read(session, FOLD_VERSION) ?? createState();
  for (const event of engine.store.read(session, state.seq)) fold(state, event);
  return state;
}
