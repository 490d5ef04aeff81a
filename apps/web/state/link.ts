import type { StreamState } from '@klaus/server/client';

/** The state of a connection. `refused`: no further attempts. */
export type Link = 'connecting' | 'online' | 'offline' | 'refused';

/** Converts a stream state. A reconnect keeps the previous state, so that the page does not flicker. */
export function toLink({ state }: StreamState, before: Link): Link {
  if (state === 'live') return 'online';
  if (state === 'ended') return 'refused';
  if (state === 'waiting') return 'offline';
  return before === 'refused' ? 'connecting' : before;
}
