/** Characters of an excerpt. */
const SHOWN = 600;
/** Characters before the first word that was found. */
const BEFORE = 150;
/** Places of a word that are looked at in one text. */
const MAX_PLACES = 2_000;

/** The part of a range of a text in which the most of the words stand, exactly as it is. */
export function showAround(
  text: string,
  { start, end, words }: { start: number; end: number; words: readonly string[] },
): { excerpt: { text: string; start: number }; words: number } {
  const places = findPlaces(text.slice(start, end), words).map(({ at, word }) => ({ at: at + start, word }));
  let best = { at: start, count: 0 };
  for (const { at } of places) {
    const within = new Set(
      places.filter((other) => other.at >= at && other.at < at + SHOWN - BEFORE).map((o) => o.word),
    );
    if (within.size > best.count) best = { at, count: within.size };
  }
  let from = Math.max(start, best.at - BEFORE);
  // From the beginning of a line, where one is near.
  const line = text.lastIndexOf('\n', best.at - 1) + 1;
  if (line > from) from = line;
  return {
    excerpt: { text: text.slice(from, Math.min(text.length, from + SHOWN)).toWellFormed(), start: from },
    words: best.count,
  };
}

/** Where the most of the words stand near each other in a long text, the best first. */
export function findWindows(text: string, words: readonly string[], limit: number): { start: number; end: number }[] {
  const places = findPlaces(text, words);
  const windows: { start: number; end: number; count: number }[] = [];
  let last = 0;
  const inside = new Map<string, number>();
  for (const [first, { at, word }] of places.entries()) {
    for (; last < places.length && places[last]!.at < at + SHOWN - BEFORE; last++) {
      inside.set(places[last]!.word, (inside.get(places[last]!.word) ?? 0) + 1);
    }
    windows.push({ start: at, end: Math.min(text.length, at + SHOWN), count: inside.size });
    const left = inside.get(word)! - 1;
    if (left === 0) inside.delete(word);
    else inside.set(word, left);
    if (first > 50_000) break;
  }
  const kept: typeof windows = [];
  for (const window of windows.sort((a, b) => b.count - a.count || a.start - b.start)) {
    if (kept.length === limit) break;
    if (kept.every((other) => window.end <= other.start || other.end <= window.start)) kept.push(window);
  }
  return kept;
}

/** Where words stand, in order. A word that stands everywhere says less than one that is rare: its places are capped. */
function findPlaces(text: string, words: readonly string[]): { at: number; word: string }[] {
  const places: { at: number; word: string }[] = [];
  for (const word of words) {
    // The index knows words by their stems; words are letters and digits alone.
    const pattern = new RegExp(word.length > 6 ? word.slice(0, -2) : word, 'giu');
    let count = 0;
    for (const match of text.matchAll(pattern)) {
      places.push({ at: match.index, word });
      if (++count === MAX_PLACES) break;
    }
  }
  return places.sort((a, b) => a.at - b.at);
}
