import type { StreamState } from '@klaus/server/client';

/** How a connection stands. `refused`: it will not be tried again. */
export type Link = 'connecting' | 'online' | 'offline' | 'refused';

/** A connection that is tried again is still offline: the page does not flicker between the two. */
export function toLink({ state }: StreamState, before: Link): Link {
  if (state === 'live') return 'online';
  if (state === 'ended') return 'refused';
  return state === 'waiting' || before === 'offline' ? 'offline' : 'connecting';
}
