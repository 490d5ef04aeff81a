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
  const shown: string[] = [];
  for (let at = 0; at < lines.length;) {
    const length = lines.slice(at).findIndex((line) => line.startsWith(' '));
    const block = lines.slice(at, length < 0 ? undefined : at + Math.max(1, length));
    shown.push(...shortenBlock(block));
    at += block.length;
  }
  return shown;
}

/** Lines that replace each other, or one line of context. */
function shortenBlock(block: readonly string[]): string[] {
  const removed = block.filter((line) => line.startsWith('-'));
  const added = block.filter((line) => line.startsWith('+'));
  const counts = { '-': 0, '+': 0 };
  return block.map((line) => {
    const [sign] = line;
    if (sign !== '-' && sign !== '+') return shortenLine(line, 0);
    const other = sign === '-' ? added : removed;
    return shortenLine(line, findDifference(line, other[counts[sign]++]));
  });
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
