import type { Lease, Store } from '../ports/store.ts';
import { FOLD_VERSION } from './fold-version.ts';
import type { State } from './state.ts';

/** Events between two writes while a session is being advanced. */
const EVERY = 2_000;
/** Events since the last write that make a write worthwhile when the work ends. */
const AT_END = 500;

/** Writes the state to the cache from time to time, so that a long log opens fast. Called between two steps. */
export async function createStateCacheWriter(
  { stateCache }: Pick<Store, 'stateCache'>,
  lease: Lease,
  state: State,
): Promise<(moment: 'between' | 'end') => Promise<void>> {
  let last = (await stateCache?.seqOf(lease.session)) ?? 0;
  return async (moment) => {
    if (!stateCache || state.seq - last < (moment === 'end' ? AT_END : EVERY)) return;
    last = state.seq;
    // A failed write is ignored: the state can be folded from the log.
    await stateCache.write(lease, { state, version: FOLD_VERSION }).catch(() => {});
  };
}
