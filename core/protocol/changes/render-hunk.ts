import type { Hunk } from './hunk.ts';

/** The hunk as unified diff text with its header line, or its note. Ends without a line break. */
export function renderHunk(hunk: Hunk): string {
  if (hunk.lines.length === 0) return hunk.note ?? '';
  const range = (start: number, count: number) => (count === 1 ? `${start}` : `${start},${count}`);
  const header = `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
  return [header, ...hunk.lines].join('\n');
}

/** Hunks as the text of a unified diff, with the headers of their files. */
export function renderHunks(hunks: readonly Hunk[]): string {
  let path: string | undefined;
  return hunks
    .map((hunk) => {
      const from = hunk.kind === 'created' ? '/dev/null' : `a/${hunk.path}`;
      const to = hunk.kind === 'deleted' ? '/dev/null' : `b/${hunk.path}`;
      const head = hunk.path === path ? '' : `--- ${from}\n+++ ${to}\n`;
      path = hunk.path;
      return `${head}${renderHunk(hunk).replace(/\n?$/, '\n')}`;
    })
    .join('');
}
