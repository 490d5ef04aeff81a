/** Lines, from 1, in which some characters stand, whatever their case. */
export function findLines(lines: readonly string[], query: string): number[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  return lines.flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [at + 1] : []));
}

/** The next of some lines after (`by` 1) or before (-1) one; at the end it begins again. Undefined where there is none. */
export function nextLine(hits: readonly number[], from: number, by: 1 | -1): number | undefined {
  if (by > 0) return hits.find((line) => line > from) ?? hits[0];
  return hits.findLast((line) => line < from) ?? hits.at(-1);
}
