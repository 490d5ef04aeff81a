/** Minutes since midnight for a time such as `09:30`. */
export function parseTime(text) {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  const minutes = match ? Number(match[1]) * 60 + Number(match[2]) : NaN;
  if (!match || match[2] > '59' || minutes > 24 * 60) throw new RangeError(`not a time of day: ${text}`);
  return minutes;
}

/** The inverse: `570` gives `09:30`. */
export function formatTime(minutes) {
  const pad = (number) => String(number).padStart(2, '0');
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
