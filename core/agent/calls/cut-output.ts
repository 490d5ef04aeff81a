/**
 * Cuts a long text to about `max` characters: 60 % from its head and 30 % from its tail, with a line
 * between them that says how much is missing.
 */
export function cutOutput(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, Math.floor(max * 0.6));
  const tail = text.slice(text.length - Math.floor(max * 0.3));
  const missing = text.length - head.length - tail.length;
  return `${head}\n\n[… ${missing} characters left out …]\n\n${tail}`;
}
