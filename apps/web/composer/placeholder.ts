import { toPlaceholders } from '@klaus/core/protocol';

/** The range of the first placeholder such as `{{name}}` at or after a position; undefined without one. */
export function findPlaceholder(text: string, from: number): { start: number; end: number } | undefined {
  for (let start = text.indexOf('{{', from); start >= 0; start = text.indexOf('{{', start + 1)) {
    const end = text.indexOf('}}', start) + 2;
    if (end < 2) return undefined;
    if (toPlaceholders(text.slice(start, end)).length === 1) return { start, end };
  }
  return undefined;
}
