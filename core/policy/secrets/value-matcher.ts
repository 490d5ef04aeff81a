import { mayBeDump, toDumpColumns, toOriginal } from './dump-columns.ts';
import { toEncodedForms, toSqueezed } from './encodings.ts';
import { entropy } from './entropy.ts';
import { classOf, createValueFilter, KEY_LENGTH, KEY_MASK, KeyTable, toSlot, type FiledForm } from './value-filter.ts';

/** A value that is secret everywhere, and the name of its placeholder. */
export interface SecretValue {
  name: string;
  value: string;
}

/** Searches for values, also in encoded, wrapped or spaced form. */
export interface ValueMatcher {
  /** @param bytes The text in UTF-8. */
  find(text: string, bytes: Uint8Array): { name: string; start: number; end: number }[];
  /** False where bytes of UTF-8 certainly hold no value. */
  mayHold(bytes: Uint8Array): boolean;
}

interface Form {
  name: string;
  squeezed: string;
  /** The value itself where the form is that and not an encoding of it. */
  plain?: string;
  /** True for a value that could be read into ordinary text: gaps are looked at closely. */
  isWeak: boolean;
}

/** A place in a form that it is filed under; any but the first finds a part of it. */
interface Entry extends FiledForm {
  form: Form;
}

/** Bytes from which on a text is worth a quick look before it is walked through; that look takes tables of its own. */
const LONG = 65_536;

/** Number of characters of a random value that reveal enough of it to be redacted alone. */
const SHORTEST_PART = 10;

/** Prepares a search for all values at once: one pass over the text, however many there are. */
export function createValueMatcher(values: readonly SecretValue[]): ValueMatcher {
  const exact: SecretValue[] = [];
  const table = new KeyTable<Entry>();
  const entries: Entry[] = [];
  const addAt = (form: Form, offset: number): void => {
    entries.push({ form, offset });
    table.add({ form, offset });
  };
  const add = (form: Form): void => {
    addAt(form, 0);
    if (form.plain === undefined || !isRandom(form.plain)) return;
    for (let offset = 1; offset + SHORTEST_PART <= form.squeezed.length; offset++) addAt(form, offset);
  };
  for (const { name, value } of values) {
    const squeezed = toSqueezed(value);
    // What is mostly punctuation, or not ASCII, is found literally and in the encodings of its bytes.
    if (squeezed.length < 8 || squeezed.length < value.length / 2) exact.push({ name, value });
    else add({ name, squeezed, plain: value, isWeak: isWeak(squeezed) });
    for (const form of toEncodedForms(value)) add({ name, squeezed: form, isWeak: false });
  }
  const walk = createWalk(table);
  const mayHoldForm = createValueFilter(entries);
  const marks = exact.map(({ value }) => new TextEncoder().encode(value.toWellFormed()));
  return {
    find(text, bytes) {
      const spans = exact.flatMap((value) => findExact(text, value));
      if (table.isEmpty) return spans;
      if (bytes.length < LONG || mayHoldForm(bytes)) spans.push(...walk(text));
      for (const view of toDumpColumns(text, bytes)) {
        for (const { name, start, end } of walk(view.text))
          for (const part of toOriginal(view, start, end)) spans.push({ name, ...part });
      }
      return spans;
    },
    mayHold: (bytes) =>
      mayHoldForm(bytes) || (!table.isEmpty && mayBeDump(bytes)) || marks.some((mark) => isIn(bytes, mark)),
  };
}

function isIn(bytes: Uint8Array, mark: Uint8Array): boolean {
  for (let at = bytes.indexOf(mark[0]!); at >= 0; at = bytes.indexOf(mark[0]!, at + 1))
    if (mark.every((byte, index) => bytes[at + index] === byte)) return true;
  return false;
}

/** A part of such a value does not occur by chance. */
function isRandom(plain: string): boolean {
  return (
    plain.length >= 16 && plain.length <= 256 && !/:\/\/|\s/.test(plain) && entropy(plain) > 3.5 && /\d/.test(plain)
  );
}

/** Letters alone, or digits alone: words and dates can look like it. */
function isWeak(squeezed: string): boolean {
  return /^(?:[a-z]+|[0-9]+)$/.test(squeezed);
}

function findExact(text: string, { name, value }: SecretValue): { name: string; start: number; end: number }[] {
  const spans = [];
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
    spans.push({ name, start: at, end: at + value.length });
  return spans;
}

function createWalk(table: KeyTable<Entry>) {
  const { filter } = table;
  return (text: string): { name: string; start: number; end: number }[] => {
    const spans: { name: string; start: number; end: number }[] = [];
    let key = 0;
    for (let at = 0; at < text.length; at++) {
      const number = classOf(text.charCodeAt(at));
      if (number === 0) continue;
      key = ((key << 6) | number) & KEY_MASK;
      const slot = toSlot(key);
      if ((filter[slot >> 3]! & (1 << (slot & 7))) === 0) continue;
      for (const entry of table.get(key)) {
        const span = matchAround(text, at, entry);
        if (span) spans.push({ name: entry.form.name, ...span });
      }
    }
    return spans;
  };
}

/** The span of a form, or of a long enough part of it, whose key ends with the character at `at`. */
function matchAround(text: string, at: number, { form, offset }: Entry): { start: number; end: number } | undefined {
  const { squeezed, plain } = form;
  let start = at;
  for (let left = KEY_LENGTH - 1; left > 0;) if (classOf(text.charCodeAt(--start)) > 0) left--;
  // The entry before finds this part, and one character more.
  if (offset > 0 && classBefore(text, start) === classOf(squeezed.charCodeAt(offset - 1))) return undefined;
  let end = at + 1;
  let next = offset + KEY_LENGTH;
  for (let cursor = end; next < squeezed.length && cursor < text.length; cursor++) {
    const number = classOf(text.charCodeAt(cursor));
    if (number === 0) continue;
    if (number !== classOf(squeezed.charCodeAt(next))) break;
    next++;
    end = cursor + 1;
  }
  if (offset > 0 || next < squeezed.length) {
    const isLong = plain !== undefined && isRandom(plain) && next - offset >= SHORTEST_PART;
    return isLong ? { start, end } : undefined;
  }
  if (plain === undefined) return { start, end };
  if (form.isWeak && !isDeliberate(text.slice(start, end), squeezed.length, plain)) return undefined;
  // Punctuation at the ends of the value belongs to it.
  const [before = ''] = /^[^0-9A-Za-z]*/.exec(plain) ?? [];
  const [after = ''] = /[^0-9A-Za-z]*$/.exec(plain) ?? [];
  if (text.endsWith(before, start)) start -= before.length;
  if (text.startsWith(after, end)) end += after.length;
  return { start, end };
}

/** Class of the next letter or digit to the left; 0 at the beginning of the text. */
function classBefore(text: string, start: number): number {
  for (let at = start - 1; at >= 0; at--) {
    const number = classOf(text.charCodeAt(at));
    if (number > 0) return number;
  }
  return 0;
}

/** True where words did not come together by chance: the value as it is, every character apart, or a wrapped line. */
function isDeliberate(found: string, letters: number, plain: string): boolean {
  if (plain.toLowerCase().includes(found.toLowerCase())) return true;
  const gaps = found.match(/[^0-9A-Za-z]+/g) ?? [];
  return gaps.length === letters - 1 || gaps.every((gap) => gap.includes('\n'));
}
