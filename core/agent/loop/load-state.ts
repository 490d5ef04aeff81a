import type { Event } from '../../protocol/index.ts';
import { fold } from './fold.ts';
import { FOLD_VERSION } from './fold-version.ts';
import type { Lease, Store } from '../ports/store.ts';
import { createState, type State } from './state.ts';

/** Events after which the state is kept while a session is worked on. */
const EVERY = 2_000;
/** Events that are worth it when the work ends. */
const AT_END = 500;

/** The state of a session, from its log alone: where one was kept, from there on. */
export async function loadState(
  engine: { store: Pick<Store, 'read' | 'checkpoints'> },
  session: string,
): Promise<State> {
  const state = (await engine.store.checkpoints?.read(session, FOLD_VERSION)) ?? createState();
  for await (const events of engine.store.read(session, state.seq)) for (const event of events) fold(state, event);
  return state;
}

/** All events of a session after `after`, which is 0 by default. */
export async function readLog(store: Pick<Store, 'read'>, session: string, after = 0): Promise<Event[]> {
  const log: Event[] = [];
  for await (const events of store.read(session, after)) for (const event of events) log.push(event);
  return log;
}

/** Keeps the state of a session from time to time, so that nobody has to fold a long log from its beginning. */
export interface StateCacheWriter {
  /** Call it where nothing is under way. */
  keep(moment: 'between' | 'end'): Promise<void>;
}

export async function createKeeper(
  { checkpoints }: Pick<Store, 'checkpoints'>,
  lease: Lease,
  state: State,
): Promise<StateCacheWriter> {
  let last = (await checkpoints?.seqOf(lease.session)) ?? 0;
  return {
    async keep(moment) {
      if (!checkpoints || state.seq - last < (moment === 'end' ? AT_END : EVERY)) return;
      last = state.seq;
      // It can always be made again: no work fails for it.
      await checkpoints.write(lease, { state, version: FOLD_VERSION }).catch(() => {});
    },
  };
}
