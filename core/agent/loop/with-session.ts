import { loadState } from '../state/load-state.ts';
import { createWork } from './create-work.ts';
import type { Engine } from './engine.ts';
import type { Work } from './work.ts';

/** Claims a session, and calls `use` with it. Returns false while a live process holds it. */
export async function withSession(
  engine: Engine,
  session: string,
  use: (work: Work) => Promise<void>,
): Promise<boolean> {
  const lease = await engine.store.claim(session);
  if (!lease) return false;
  try {
    await use(createWork({ engine, session, lease, state: await loadState(engine, session) }));
    return true;
  } finally {
    await lease.release();
  }
}
