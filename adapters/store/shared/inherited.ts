import type { Event } from '@klaus/core/protocol';

/**
 * True for an event that a fork copied from its original, which has been charged and recorded there.
 *
 * @param inherited Seq of the last event that the session inherited; 0 for one that is not a fork.
 */
export function isCopied(event: Event, inherited: number): boolean {
  return event.type !== 'session.opened' && event.seq <= inherited;
}
