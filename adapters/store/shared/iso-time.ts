let last = { at: 0, text: new Date(0).toISOString() };

/** ISO 8601 in UTC of Unix milliseconds. What happens together has one time: it is written out once. */
export function toIso(at: number): string {
  if (last.at !== at) last = { at, text: new Date(at).toISOString() };
  return last.text;
}
