import type { HookContext } from './hook-context.ts';

/** A call that the user allowed may run for this time. */
const ALLOWED_MS = 3_600_000;

/**
 * True for a call that the user allowed with `klaus guard allow`, in this session. Another process records it, so that the
 * host chain is read.
 *
 * @param key Hash of the call.
 */
export function isAllowed(context: HookContext, key: string): Promise<boolean> {
  return hasAllowed(context, { key, since: Date.now() - ALLOWED_MS, session: context.event.session_id });
}

/** True for what the user allowed in any session of the project: it is allowed until it changes. */
export async function isAccepted(context: HookContext, key: string): Promise<boolean> {
  if (context.accepted.has(key)) return true;
  if (!(await hasAllowed(context, { key, since: 0 }))) return false;
  context.accepted.add(key);
  return true;
}

async function hasAllowed(
  { klaus, root }: HookContext,
  { key, since, session }: { key: string; since: number; session?: string },
): Promise<boolean> {
  for await (const seen of klaus.store.hostEvents({ type: 'guard.observed', subject: root, since }))
    if (seen.type === 'guard.observed' && seen.what === 'allowed' && seen.text === key)
      if (session === undefined || seen.guarded === session) return true;
  return false;
}
