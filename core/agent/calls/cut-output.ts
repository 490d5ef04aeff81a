import { headOf, tailOf } from '../../protocol/index.ts';

/** Cuts a long text to about `max` characters: 60 % head, the number of characters left out, 30 % tail. */
export function cutOutput(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = headOf(text, Math.floor(max * 0.6));
  const tail = tailOf(text, Math.floor(max * 0.3));
  const missing = text.length - head.length - tail.length;
  return `${head}\n\n[… ${missing} characters left out …]\n\n${tail}`;
}
