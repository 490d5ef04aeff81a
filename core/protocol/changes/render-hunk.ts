import type { Hunk } from './hunk.ts';

/** The hunk as unified diff text with its header line, or its note. Ends without a line break. */
export function renderHunk(hunk: Hunk): string {
  if (hunk.lines.length === 0) return hunk.note ?? '';
  const range = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`);
  const header = `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
  return [header, ...hunk.lines].join('\n');
}
