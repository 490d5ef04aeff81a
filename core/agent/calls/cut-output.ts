/** Cuts a long text to about `max` characters: 60 % head, the number of characters left out, 30 % tail. */
export function cutOutput(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, Math.floor(max * 0.6));
  const tail = text.slice(text.length - Math.floor(max * 0.3));
  const missing = text.length - head.length - tail.length;
  return `${head}\n\n[… ${missing} characters left out …]\n\n${tail}`;
}
