import { mergeBookings } from './merge-bookings.js';
import { formatTime, parseTime } from './time.js';

/**
 * The gaps between bookings.
 *
 * @param {{ start: string, end: string }[]} bookings Times such as `09:30`, in any order.
 * @param {{ from: string, to: string, atLeast?: number }} day When the room opens and closes, and the
 *   shortest gap worth offering, in minutes (default 15).
 */
export function freeSlots(bookings, { from, to, atLeast = 15 }) {
  const closing = parseTime(to);
  const busy = mergeBookings(bookings.map(({ start, end }) => ({ start: parseTime(start), end: parseTime(end) })));
  const slots = [];
  let free = parseTime(from);
  for (const { start, end } of [...busy, { start: closing, end: closing }]) {
    const until = Math.min(start, closing);
    if (until - free >= atLeast) slots.push({ start: formatTime(free), end: formatTime(until) });
    free = Math.max(free, end);
  }
  return slots;
}
