/** Characters of a line of a diff. */
const MAX_LINE = 2_000;
/** Characters that a shortened line shows before its first difference. */
const BEFORE = 100;

/**
 * The lines of a hunk, each with its sign, for a person: of a very long line only the part around its first difference
 * from the line that it replaces.
 */
export function shortenHunk(lines: readonly string[]): string[] {
  if (lines.every(({ length }) => length <= MAX_LINE)) return [...lines];
  const removed: string[] = [];
  const added: string[] = [];
  const shown: string[] = [];
  const flush = (): void => {
    const pairs = (own: readonly string[], other: readonly string[]) =>
      own.map((line, at) => shortenLine(line, findDifference(line, other[at])));
    shown.push(...pairs(removed, added), ...pairs(added, removed));
    removed.length = 0;
    added.length = 0;
  };
  for (const line of lines) {
    if (line.startsWith('-')) removed.push(line);
    else if (line.startsWith('+')) added.push(line);
    else {
      flush();
      shown.push(shortenLine(line, 0));
    }
  }
  flush();
  return shown;
}

function findDifference(line: string, other = ''): number {
  let at = 1;
  while (at < line.length && line.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}

function shortenLine(line: string, difference: number): string {
  if (line.length <= MAX_LINE) return line;
  const text = line.slice(1);
  const from = Math.max(0, difference - 1 - BEFORE);
  const part = text.slice(from, from + MAX_LINE).toWellFormed();
  const before = from === 0 ? '' : `[${from} characters]…`;
  const left = text.length - from - part.length;
  return `${line[0]}${before}${part}${left <= 0 ? '' : `…[${left} characters]`}`;
}
