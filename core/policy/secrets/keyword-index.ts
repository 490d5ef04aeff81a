/** Looks for many keywords in one pass over a text, without regard to the case of ASCII letters. */
export interface KeywordIndex {
  /** Numbers of the lists of which at least one keyword stands in the text, and of the empty lists; ascending. */
  find(text: string): number[];
}

interface Keyword {
  word: string;
  /** Where in the word the three characters stand that it is filed under. */
  offset: number;
  lists: number[];
}

/** Characters are numbered up to 63, so that three of them make an index of 18 bits. */
const BITS = 6;
const MASK = (1 << (3 * BITS)) - 1;
/** The letters that English and source code use most; a keyword is filed under what is rare. */
const COMMON = 'etaonirslcdp';

/**
 * Builds the index. A list with a keyword of fewer than three characters counts as always found: its pattern is
 * quicker than the bookkeeping of a keyword that stands everywhere.
 */
export function createKeywordIndex(lists: readonly (readonly string[])[]): KeywordIndex {
  const classes = new Uint8Array(128);
  const always: number[] = [];
  const keywords = new Map<string, Keyword>();
  let count = 0;
  for (const [number, words] of lists.entries()) {
    if (words.length === 0 || words.some((word) => word.length < 3)) {
      always.push(number);
      continue;
    }
    for (const word of words) {
      for (let at = 0; at < word.length; at++) {
        const unit = word.charCodeAt(at);
        // Those beyond the 63rd share the last number: more candidates are looked at, none is missed.
        if (unit < 128 && classes[unit] === 0) classes[unit] = Math.min(++count, 63);
      }
      const known = keywords.get(word);
      if (known) known.lists.push(number);
      else keywords.set(word, { word, offset: toRarest(word), lists: [number] });
    }
  }
  for (let unit = 65; unit <= 90; unit++) classes[unit] = classes[unit + 32]!;
  const slots = new Uint16Array(MASK + 1);
  // One bit each, small enough for the fastest cache: nearly every character is done with here.
  const filter = new Uint8Array((MASK + 1) >> 3);
  const buckets: Keyword[][] = [[]];
  for (const keyword of keywords.values()) {
    let key = 0;
    for (let at = keyword.offset; at < keyword.offset + 3; at++)
      key = (key << BITS) | (classes[keyword.word.charCodeAt(at)] ?? 0);
    if (slots[key] === 0) slots[key] = buckets.push([]) - 1;
    buckets[slots[key]!]!.push(keyword);
    filter[key >> 3]! |= 1 << (key & 7);
  }
  return { find: createSearch({ classes, filter, slots, buckets, always }) };
}

interface Tables {
  classes: Uint8Array;
  filter: Uint8Array;
  slots: Uint16Array;
  buckets: readonly Keyword[][];
  always: readonly number[];
}

function createSearch({ classes, filter, slots, buckets, always }: Tables): KeywordIndex['find'] {
  /** The search in which all keywords of a bucket were found: nothing is cleared between searches. */
  const done = new Uint32Array(buckets.length);
  let search = 0;
  return (text) => {
    search += 1;
    const lists = new Set(always);
    let key = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      key = ((key << BITS) | (unit < 128 ? classes[unit]! : 0)) & MASK;
      if ((filter[key >> 3]! & (1 << (key & 7))) === 0) continue;
      const slot = slots[key]!;
      if (slot === 0 || done[slot] === search) continue;
      let isDone = true;
      for (const { word, offset, lists: found } of buckets[slot]!) {
        if (lists.has(found[0]!) && found.every((list) => lists.has(list))) continue;
        if (standsAt(text, at - 2 - offset, word)) for (const list of found) lists.add(list);
        else isDone = false;
      }
      if (isDone) done[slot] = search;
    }
    return [...lists].sort((a, b) => a - b);
  };
}

function standsAt(text: string, start: number, word: string): boolean {
  if (start < 0 || start + word.length > text.length) return false;
  for (let at = 0; at < word.length; at++) {
    const unit = text.charCodeAt(start + at);
    if ((unit >= 65 && unit <= 90 ? unit + 32 : unit) !== word.charCodeAt(at)) return false;
  }
  return true;
}

function toRarest(word: string): number {
  let best = 0;
  let least = Infinity;
  for (let at = 0; at + 3 <= word.length; at++) {
    let score = 0;
    for (let i = at; i < at + 3; i++) {
      const rank = COMMON.indexOf(word[i]!);
      score += rank >= 0 ? COMMON.length - rank + 4 : /[a-z]/.test(word[i]!) ? 3 : 0;
    }
    if (score < least) [best, least] = [at, score];
  }
  return best;
}
