import { toPair, toPairs } from './byte-pairs.ts';

/** Letters and digits in a row that a form is filed under; six bits each. */
export const KEY_LENGTH = 5;
export const KEY_MASK = 2 ** 30 - 1;
/** As many of a form are compared before a text counts as one that may hold it. */
const COMPARED = 8;
/** A filter of one bit each, small enough for the fastest cache. */
const FILTER_BITS = 17;
/** The golden ratio as an odd number of 32 bits: neighbouring keys get slots far from each other. */
const SPREAD = 0x9e3779b1;

/** 1 to 36 for ASCII digits and letters in either case, 0 for what is passed over. */
const CLASSES = new Uint8Array(256);
for (let at = 0; at < 10; at++) CLASSES[48 + at] = at + 1;
for (let at = 0; at < 26; at++) CLASSES[65 + at] = CLASSES[97 + at] = at + 11;

/** Of a character or a byte of UTF-8. */
export function classOf(unit: number): number {
  return unit < 128 ? CLASSES[unit]! : 0;
}

let pairs: Uint16Array | undefined;

/** For two bytes: the classes of those that are not passed over in the low bits, and above them how many bits that are. */
function toClassPairs(): Uint16Array {
  if (pairs) return pairs;
  pairs = new Uint16Array(65_536);
  for (let first = 0; first < 256; first++) {
    for (let second = 0; second < 256; second++) {
      const a = CLASSES[first]!;
      const b = CLASSES[second]!;
      if (a + b > 0) pairs[toPair(first, second)] = a > 0 && b > 0 ? (12 << 12) | (a << 6) | b : (6 << 12) | a | b;
    }
  }
  return pairs;
}

/** A place in the squeezed form of a value. */
export interface FiledForm {
  form: { squeezed: string };
  offset: number;
}

/** A table of forms by the key of five characters that begins at their offset, behind a filter of bits. */
export class KeyTable<E extends FiledForm> {
  readonly #filter = new Uint8Array(1 << (FILTER_BITS - 3));
  readonly #entries = new Map<number, E[]>();

  add(entry: E): void {
    let key = 0;
    for (let at = entry.offset; at < entry.offset + KEY_LENGTH; at++)
      key = (key << 6) | classOf(entry.form.squeezed.charCodeAt(at));
    const slot = toSlot(key);
    this.#filter[slot >> 3]! |= 1 << (slot & 7);
    const known = this.#entries.get(key);
    if (known) known.push(entry);
    else this.#entries.set(key, [entry]);
  }

  get filter(): Uint8Array {
    return this.#filter;
  }

  get(key: number): readonly E[] {
    return this.#entries.get(key) ?? [];
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }
}

/** Which bit of a {@link KeyTable}'s filter a key has. */
export function toSlot(key: number): number {
  return Math.imul(key, SPREAD) >>> (32 - FILTER_BITS);
}

/**
 * Answers whether bytes of UTF-8 may hold one of the forms: false is certain. It looks at two bytes at a time, so
 * that a key may end one character later than where it looks: forms are filed at the next place, too.
 */
export function createValueFilter(forms: readonly FiledForm[]): (bytes: Uint8Array) => boolean {
  const table = new KeyTable();
  for (const { form, offset } of forms) {
    table.add({ form, offset });
    table.add({ form, offset: offset + 1 });
  }
  const state = { at: 0, key: 0 };
  return (bytes) => {
    if (table.isEmpty) return false;
    state.at = 0;
    state.key = 0;
    const units = toPairs(bytes);
    const classes = toClassPairs();
    while (seek(units, state, { classes, filter: table.filter })) {
      if (continuesWith(bytes, 2 * state.at, table.get(state.key))) return true;
    }
    if (bytes.length % 2 === 0) return false;
    const last = ((state.key << 6) | classOf(bytes.at(-1)!)) & KEY_MASK;
    return table.get(last).length > 0;
  };
}

/** Goes to behind the next pair at which a key of the filter ends. Small, because it is where the time goes. */
function seek(
  units: Uint16Array,
  state: { at: number; key: number },
  { classes, filter }: { classes: Uint16Array; filter: Uint8Array },
): boolean {
  let key = state.key;
  for (let at = state.at; at < units.length; at++) {
    const pair = classes[units[at]!]!;
    key = ((key << (pair >>> 12)) | (pair & 4_095)) & KEY_MASK;
    const slot = Math.imul(key, SPREAD) >>> (32 - FILTER_BITS);
    if ((filter[slot >> 3]! & (1 << (slot & 7))) !== 0) {
      state.at = at + 1;
      state.key = key;
      return true;
    }
  }
  state.key = key;
  return false;
}

/** True unless what follows a key differs from all of the forms, as far as they are compared. */
function continuesWith(bytes: Uint8Array, from: number, forms: readonly FiledForm[]): boolean {
  return forms.some(({ form: { squeezed }, offset }) => {
    const end = Math.min(squeezed.length, offset + COMPARED);
    let next = offset + KEY_LENGTH;
    for (let at = from; next < end && at < bytes.length; at++) {
      const number = classOf(bytes[at]!);
      if (number === 0) continue;
      if (number !== classOf(squeezed.charCodeAt(next))) return false;
      next++;
    }
    return true;
  });
}
