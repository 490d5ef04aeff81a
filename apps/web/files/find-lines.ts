/** Numbers, from 1, of the lines that contain a text, ignoring case. */
export function findLines(lines: readonly string[], query: string): number[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [at + 1] : []));
}

/** The next line after (`by` 1) or before (-1) a line, with wrap-around; undefined without hits. */
export function nextLine(hits: readonly number[], from: number, by: 1 | -1): number | undefined {
  if (by > 0) return hits.find((line) => line > from) ?? hits[0];
  return hits.findLast((line) => line < from) ?? hits.at(-1);
}
