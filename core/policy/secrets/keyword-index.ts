import { toPair, toPairs } from './byte-pairs.ts';

export interface FoundKeywords {
  /** Numbers of the lists of which at least one keyword is in the text, and of the empty lists; ascending. */
  lists: number[];
  /** Where each keyword of the list begins whose places are wanted, in bytes; ascending. */
  places: number[];
}

/** Looks for many keywords in one pass over bytes of UTF-8, without regard to the case of ASCII letters. */
export interface KeywordIndex {
  find(bytes: Uint8Array): FoundKeywords;
}

interface Keyword {
  /** Its bytes, all of them ASCII. */
  word: Uint8Array;
  /** Offset in the word of the three bytes that index it. */
  offset: number;
  lists: number[];
}

/** Characters are numbered up to 63, so that three of them make an index of 18 bits. */
const BITS = 6;
const MASK = (1 << (3 * BITS)) - 1;
/** The letters that English and source code use most; a keyword is filed under what is rare. */
const COMMON = 'etaonirslcdp';
/** A pair of bytes that begins, or ends, three under which a keyword is filed. */
const BEGINS = 1;
const ENDS = 2;

/**
 * Builds the index. A list with a keyword of fewer than three characters counts as always found: its pattern is
 * faster than the bookkeeping of a keyword that occurs everywhere.
 *
 * @param placed Number of the list whose places are wanted.
 */
export function createKeywordIndex(lists: readonly (readonly string[])[], placed?: number): KeywordIndex {
  const classes = new Uint8Array(256);
  const always: number[] = [];
  const keywords = new Map<string, Keyword>();
  let count = 0;
  for (const [number, words] of lists.entries()) {
    if (words.length === 0 || words.some((word) => word.length < 3)) {
      always.push(number);
      continue;
    }
    for (const text of words) {
      const word = new TextEncoder().encode(text);
      // Those beyond the 63rd share the last number: more candidates are looked at, none is missed.
      for (const byte of word) if (classes[byte] === 0) classes[byte] = Math.min(++count, 63);
      const known = keywords.get(text);
      if (known) known.lists.push(number);
      else keywords.set(text, { word, offset: toRarest(text), lists: [number] });
    }
  }
  for (let byte = 65; byte <= 90; byte++) classes[byte] = classes[byte + 32]!;
  const slots = new Uint16Array(MASK + 1);
  const buckets: Keyword[][] = [[]];
  const pairs = new Uint8Array(65_536);
  const mark = (first: number, second: number, bit: number): void => {
    for (const one of inBothCases(first)) for (const other of inBothCases(second)) pairs[toPair(one, other)]! |= bit;
  };
  for (const keyword of keywords.values()) {
    const [a, b, c] = keyword.word.subarray(keyword.offset, keyword.offset + 3) as unknown as [number, number, number];
    const key = (classes[a]! << (2 * BITS)) | (classes[b]! << BITS) | classes[c]!;
    if (slots[key] === 0) slots[key] = buckets.push([]) - 1;
    buckets[slots[key]!]!.push(keyword);
    mark(a, b, BEGINS);
    mark(b, c, ENDS);
  }
  return { find: createSearch({ classes, pairs, slots, buckets, always, placed }) };
}

interface Tables {
  classes: Uint8Array;
  pairs: Uint8Array;
  slots: Uint16Array;
  buckets: readonly Keyword[][];
  always: readonly number[];
  placed: number | undefined;
}

function createSearch({ classes, pairs, slots, buckets, always, placed }: Tables): KeywordIndex['find'] {
  /** The search in which all keywords of a bucket were found: nothing is cleared between searches. */
  const done = new Uint32Array(buckets.length);
  let search = 0;
  let places: number[] = [];
  const placedBuckets = buckets.map((keywords) => {
    const wanted = keywords.filter((keyword) => placed !== undefined && keyword.lists.includes(placed));
    return wanted.length > 0 ? wanted : undefined;
  });
  const takePlaces = (
    bytes: Uint8Array,
    start: number,
    { wanted, lists }: { wanted: readonly Keyword[]; lists: Set<number> },
  ): void => {
    for (const { word, offset, lists: found } of wanted) {
      if (!matchesAt(bytes, start - offset, word)) continue;
      places.push(start - offset);
      for (const list of found) lists.add(list);
    }
  };
  /** Takes the keywords that are filed under the three bytes from `start` on. */
  const look = (bytes: Uint8Array, start: number, lists: Set<number>): void => {
    if (start < 0 || start + 3 > bytes.length) return;
    const slot =
      slots[
        (classes[bytes[start]!]! << (2 * BITS)) | (classes[bytes[start + 1]!]! << BITS) | classes[bytes[start + 2]!]!
      ]!;
    if (slot === 0) return;
    const wanted = placedBuckets[slot];
    if (wanted) takePlaces(bytes, start, { wanted, lists });
    if (done[slot] === search) return;
    let isDone = true;
    for (const { word, offset, lists: found } of buckets[slot]!) {
      if (lists.has(found[0]!) && found.every((list) => lists.has(list))) continue;
      if (matchesAt(bytes, start - offset, word)) for (const list of found) lists.add(list);
      else isDone = false;
    }
    if (isDone) done[slot] = search;
  };
  return (bytes) => {
    search += 1;
    places = [];
    const lists = new Set(always);
    // Two of three consecutive bytes are in one pair for any alignment: every second offset is enough.
    const units = toPairs(bytes);
    for (let at = seek(units, 0, pairs); at < units.length; at = seek(units, at + 1, pairs)) {
      const marks = pairs[units[at]!]!;
      if ((marks & BEGINS) !== 0) look(bytes, 2 * at, lists);
      if ((marks & ENDS) !== 0) look(bytes, 2 * at - 1, lists);
    }
    return { lists: [...lists].sort((a, b) => a - b), places: places.sort((a, b) => a - b) };
  };
}

/** Offset of the next pair with a mark, or the length. Short, because most of the time is spent here. */
function seek(units: Uint16Array, from: number, pairs: Uint8Array): number {
  let at = from;
  while (at < units.length && pairs[units[at]!] === 0) at++;
  return at;
}

function inBothCases(byte: number): number[] {
  return byte >= 97 && byte <= 122 ? [byte, byte - 32] : [byte];
}

function matchesAt(bytes: Uint8Array, start: number, word: Uint8Array): boolean {
  if (start < 0 || start + word.length > bytes.length) return false;
  for (let at = 0; at < word.length; at++) {
    const byte = bytes[start + at]!;
    if ((byte >= 65 && byte <= 90 ? byte + 32 : byte) !== word[at]) return false;
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
