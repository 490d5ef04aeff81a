/** The first `max` UTF-16 units of a text, or one less: a surrogate pair is never divided. */
export function headOf(text: string, max: number): string {
  return max >= text.length ? text : text.slice(0, isDivided(text, max) ? max - 1 : max);
}

function isDivided(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}
