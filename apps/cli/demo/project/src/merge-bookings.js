/**
 * Joins bookings that overlap or touch into busy stretches.
 *
 * @param {{ start: number, end: number }[]} bookings Minutes since midnight, in any order.
 * @returns {{ start: number, end: number }[]} Sorted, with a gap between any two.
 */
export function mergeBookings(bookings) {
  const stretches = [];
  for (const booking of bookings.toSorted((a, b) => a.start - b.start)) {
    const last = stretches.at(-1);
    if (last && booking.start <= last.end) {
      last.end = booking.end;
    } else {
      stretches.push({ ...booking });
    }
  }
  return stretches;
}
