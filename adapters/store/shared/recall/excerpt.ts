/** Characters of an excerpt. */
const SHOWN = 600;
/** Characters of an excerpt before the first word that was found. */
const BEFORE = 150;
/** Characters within which words count as adjacent. */
const SPAN = 240;
/** Positions of one word that are used per text. A more frequent word is searched only near the other words. */
const MAX_PLACES = 20_000;

/** A part of a text in which words of the query are adjacent. */
export interface Passage {
  /** Position of its first word. */
  at: number;
  /** The sum of the weights of its words, slightly more the closer they are. */
  score: number;
}

/** The positions of each word in a text, in order. */
export type Positions = ReadonlyMap<string, readonly number[]>;

/**
 * The parts of a text in which the words with the highest weights are adjacent, the best first, without overlaps.
 *
 * @param weights Of the words, which are lower-case letters and digits.
 */
export function findPassages(places: Positions, weights: ReadonlyMap<string, number>, limit: number): Passage[] {
  const all = [...places].flatMap(([word, found]) => found.map((at) => ({ at, word }))).sort((a, b) => a.at - b.at);
  const passages = all.map(({ at }, first): Passage => {
    const inside = new Set<string>();
    let score = 0;
    let width = 0;
    for (let next = first; next < all.length && all[next]!.at < at + SPAN; next++) {
      const place = all[next]!;
      if (inside.has(place.word)) continue;
      inside.add(place.word);
      score += weights.get(place.word) ?? 0;
      width = place.at - at;
      if (inside.size === places.size) break;
    }
    // Distant words may be unrelated.
    return { at, score: score * (1.2 - (0.2 * width) / SPAN) };
  });
  const kept: Passage[] = [];
  for (const passage of passages.sort((a, b) => b.score - a.score || a.at - b.at)) {
    if (kept.every((other) => Math.abs(other.at - passage.at) >= SHOWN)) kept.push(passage);
    if (kept.length === limit) break;
  }
  return kept;
}

export function findPositions(text: string, words: Iterable<string>): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const word of words) {
    const found = findWord(text, toPattern(word));
    places.set(word, found.length > 0 ? found : findWord(text, toNamePattern(word)));
  }
  const isCommon = (found: readonly number[]): boolean => found.length === MAX_PLACES;
  const rare = [...places.values()].filter((found) => found.length > 0 && !isCommon(found)).flat();
  if (rare.length === 0) return places;
  for (const [word, found] of places) {
    if (isCommon(found)) places.set(word, findNear(text, word, rare));
  }
  return places;
}

/** The weights of the words in one long text by their frequency in it, at most their weights in the session. */
export function weighIn(
  text: string,
  places: Positions,
  weights: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const pieces = text.length / SHOWN;
  const own = [...places].map(([word, found]): [string, number] => {
    const weight = Math.log(1 + pieces / (1 + found.length));
    return [word, Math.min(weight, weights.get(word) ?? 0)];
  });
  return new Map(own);
}

/** The unchanged text around a position, from the beginning of a line if one is near. */
export function toExcerpt(text: string, at: number): { text: string; start: number } {
  const from = Math.max(0, at - BEFORE);
  const line = from === 0 ? -1 : text.indexOf('\n', from);
  const start = line >= 0 && line < at ? line + 1 : from;
  return { text: text.slice(start, start + SHOWN).toWellFormed(), start };
}

function findNear(text: string, word: string, near: readonly number[]): number[] {
  const found = new Set<number>();
  for (const at of near) {
    const start = Math.max(0, at - SPAN);
    for (const index of findWord(text.slice(start, at + SPAN), toPattern(word))) found.add(start + index);
  }
  return [...found];
}

/** The index contains stems, so the end of a longer word may differ. */
function toPattern(word: string): RegExp {
  const begin = String.raw`(?<![\p{L}\p{N}])`;
  if (word.length < 4) return new RegExp(String.raw`${begin}${word}(?![\p{L}\p{N}])`, 'giu');
  return new RegExp(`${begin}${word.length > 6 ? word.slice(0, -2) : word}`, 'giu');
}

/** A word as a part of names, such as `max` in `retryMax` and in `maxRetry`. */
function toNamePattern(word: string): RegExp {
  const hump = word.charAt(0).toUpperCase() + word.slice(1);
  return new RegExp(String.raw`(?<=[a-z0-9])${hump}(?![a-z])|(?<![\p{L}\p{N}])${word}(?=[A-Z])`, 'gu');
}

function findWord(text: string, pattern: RegExp): number[] {
  const found: number[] = [];
  for (const { index } of text.matchAll(pattern)) {
    found.push(index);
    if (found.length === MAX_PLACES) break;
  }
  return found;
}
