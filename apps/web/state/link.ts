import type { StreamState } from '@klaus/server/client';

/** How a connection stands. `refused`: it will not be tried again. */
export type Link = 'connecting' | 'online' | 'offline' | 'refused';

/**
 * A connection that is tried again is still offline, and one that a tab made anew because it was shown again is no
 * loss of it: the page does not flicker.
 */
export function toLink({ state }: StreamState, before: Link): Link {
  if (state === 'live') return 'online';
  if (state === 'ended') return 'refused';
  if (state === 'waiting') return 'offline';
  return before === 'refused' ? 'connecting' : before;
}
