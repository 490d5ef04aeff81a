import { loadState } from '../state/load-state.ts';
import { createWork, type WorkOptions } from './create-work.ts';
import type { Engine } from './engine.ts';
import type { Work } from './work.ts';

/** Claims a session, and returns the result of `use`. Undefined while a live process holds it. */
export async function withSession<T>(
  engine: Engine,
  { session, ...options }: Pick<WorkOptions, 'session' | 'stop' | 'hasNewHome'>,
  use: (work: Work) => Promise<T>,
): Promise<T | undefined> {
  const lease = await engine.store.claim(session);
  if (!lease) return undefined;
  try {
    return await use(createWork({ engine, session, lease, state: await loadState(engine, session), ...options }));
  } finally {
    await lease.release();
  }
}
