import type { HookContext } from './hook-context.ts';

/** A call that the user allowed may run for this time. */
const ALLOWED_MS = 3_600_000;

/**
 * True for a call that the user allowed with `klaus guard allow`, in this session. Another process records it, so that the
 * host chain is read.
 *
 * @param key Hash of the call.
 */
export async function isAllowed({ klaus, root, event }: HookContext, key: string): Promise<boolean> {
  const since = Date.now() - ALLOWED_MS;
  for await (const seen of klaus.store.hostEvents({ type: 'guard.observed', subject: root, since }))
    if (seen.type === 'guard.observed' && seen.what === 'allowed' && seen.text === key)
      if (seen.guarded === event.session_id) return true;
  return false;
}
