/** Characters of a chunk. */
const CHUNK = 1_500;
/** Characters that a chunk shares with the previous one, so that text at a border is found completely. */
const OVERLAP = 200;
/** A chunk ends at a line break if there is one within this distance. */
const NEAR = 400;

/** The parts of a text that the index contains, with their positions. */
export function* toChunks(text: string): Generator<{ start: number; text: string }, void, undefined> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + CHUNK);
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end);
      if (line > end - NEAR) end = line + 1;
    }
    yield { start, text: text.slice(start, end) };
    if (end === text.length) return;
    start = end - OVERLAP;
  }
}

/** The words inside names such as `maxRetries`, which the index treats as one word. */
export function toNameParts(text: string): string {
  const names = text.match(/\b[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*\b/g) ?? [];
  return [...new Set(names)].map((name) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')).join(' ');
}
