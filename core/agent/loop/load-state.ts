import { fold } from './fold.ts';
import { FOLD_VERSION } from './fold-version.ts';
import type { Lease, Store } from '../ports/store.ts';
import { createState, type State } from './state.ts';

/** Events after which the state is kept while a session is worked on. */
const EVERY = 2_000;
/** Events that are worth it when the work ends. */
const AT_END = 500;

/** The state of a session, from its log alone: where one was kept, from there on. */
export function loadState(engine: { store: Pick<Store, 'read' | 'checkpoints'> }, session: string): State {
  const state = engine.store.checkpoints?.read(session, FOLD_VERSION) ?? createState();
  for (const event of engine.store.read(session, state.seq)) fold(state, event);
  return state;
}

/** Keeps the state of a session from time to time, so that nobody has to fold a long log from its beginning. */
export interface StateCacheWriter {
  /** Call it where nothing is under way. */
  keep(moment: 'between' | 'end'): Promise<void>;
}

export function createKeeper(
  { checkpoints }: Pick<Store, 'checkpoints'>,
  lease: Lease,
  state: State,
): StateCacheWriter {
  let last = checkpoints?.seqOf(lease.session) ?? 0;
  return {
    async keep(moment) {
      if (!checkpoints || state.seq - last < (moment === 'end' ? AT_END : EVERY)) return;
      last = state.seq;
      // It can always be made again: no work fails for it.
      await checkpoints.write(lease, { state, version: FOLD_VERSION }).catch(() => {});
    },
  };
}
