import { headOf } from '@klaus/sdk/cut-text';

const MIN_TICKS = 3;

/** Text as a Markdown code block that no line of it can close. */
export function toFence(text: string, label = 'text'): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(Math.max(MIN_TICKS, longest + 1));
  return `${ticks}${label}\n${text}\n${ticks}`;
}

/** The beginning of a text, with a note about the rest. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${headOf(text, max)}… [${text.length - max} more characters]`;
}
