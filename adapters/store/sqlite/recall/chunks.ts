/** Characters of a piece of text in the index. */
const SIZE = 1_500;
/** Characters that a piece shares with the one before it, so that what stands on a border is found whole. */
const OVERLAP = 200;
/** A piece ends with a line if one ends this near. */
const NEAR = 400;

export interface Chunk {
  start: number;
  text: string;
}

/** A text in overlapping pieces. */
export function* toChunks(text: string): Generator<Chunk, void, undefined> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + SIZE);
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end);
      if (line > end - NEAR) end = line + 1;
    }
    yield { start, text: text.slice(start, end) };
    if (end === text.length) return;
    start = end - OVERLAP;
  }
}

/** The words inside names such as `maxRetries`, which the index takes for one word. */
export function toNameParts(text: string): string {
  const names = text.match(/\b[A-Za-z0-9]*[a-z][A-Z][A-Za-z0-9]*\b/g) ?? [];
  return [...new Set(names)].map((name) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')).join(' ');
}
