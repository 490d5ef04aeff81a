/** A piece of a known secret that is masked wherever it occurs. */
const GRAM = 8;
/** Digits repeat more easily than letters. */
const DIGITS = 14;
const LONGEST = 4096;
const MOST = 500;

/** Text without separators, in lower case, with the place of each character in the original. */
interface Squeezed {
  text: string;
  places: number[];
}

/**
 * The values of secrets that are known, in every form that one step of code gives them: as they are, reversed, in
 * Base64 and hexadecimal, percent-encoded and escaped, as character codes, spaced out, and in parts of at least 8 characters.
 */
export function createKnownSecrets() {
  const values = new Set<string>();
  /** Encoded forms of complete values. */
  const encodings = new Set<string>();
  const grams = new Set<string>();
  const encoded = new Set<string>();
  const digits = new Set<string>();
  /** Characters that short results have shown of each secret. */
  const shown = new Map<string, number>();

  const addForm = (form: string, into: Set<string>, size: number): void => {
    const { text } = squeeze(form);
    for (let at = 0; at + size <= text.length; at++) into.add(text.slice(at, at + size));
  };

  return {
    values,
    /** Learns a value. Values under 5 characters are ignored: they are masked by their names alone. */
    add(value: string): void {
      const secret = value.slice(0, LONGEST).trim();
      if (secret.length < 5 || values.has(secret) || values.size >= MOST || isOrdinary(secret)) return;
      values.add(secret);
      const reversed = Array.from(secret).toReversed().join('');
      for (const form of [secret, reversed]) addForm(form, grams, GRAM);
      if (secret.length < 8) return;
      const bytes = Buffer.from(secret);
      for (const form of ['base64', 'base64url', 'hex'] as const)
        encodings.add(bytes.toString(form).replace(/=+$/, ''));
      addForm(encodeURIComponent(secret), encoded, GRAM);
      addForm(bytes.toString('hex'), encoded, GRAM + 2);
      addForm(Array.from(secret, toEscape).join(''), encoded, GRAM + 7);
      for (let shift = 0; shift < 3; shift++) {
        const base64 = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
        // The characters that depend on this value alone.
        addForm(base64.slice(shift === 0 ? 0 : shift + 1, -4), encoded, GRAM + 2);
      }
      addForm([...bytes].join(','), digits, DIGITS);
    },
    /** The spans of a text that show parts of known secrets, ascending, without overlaps. */
    find(text: string): [start: number, end: number][] {
      if (values.size === 0) return [];
      const spans: [number, number][] = [];
      for (const value of values)
        for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
          spans.push([at, at + value.length]);
      const squeezed = squeeze(text);
      addSpans(squeezed, { grams, size: GRAM, spans });
      addSpans(squeezed, { grams: digits, size: DIGITS, spans });
      // The complete word: its last characters depend on the secret, too.
      const words: [number, number][] = [];
      for (const value of encodings)
        for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
          words.push([at, at + value.length]);
      for (const size of [GRAM, GRAM + 2, GRAM + 7]) addSpans(squeezed, { grams: encoded, size, spans: words });
      for (const word of merge(words)) spans.push(toWord(text, word));
      return merge(spans);
    },
    /**
     * True for a result that shows a short part of a known secret, as code that reads it in slices does. The first 4
     * characters of single ones pass: they look like ordinary results.
     */
    isFragment(result: string): boolean {
      if (result.length === 0 || result.length >= GRAM) return false;
      for (const value of values) {
        if (value.length < 8 || !value.includes(result)) continue;
        if (result.length >= 3) return true;
        const sum = (shown.get(value) ?? 0) + result.length;
        shown.set(value, sum);
        if (sum > 4) return true;
      }
      return false;
    },
  };
}

function toEscape(character: string): string {
  return `u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The span, extended to the characters of an encoding around it. */
function toWord(text: string, [from, to]: [number, number]): [number, number] {
  const isPart = (at: number): boolean => /[\w+/=%\\-]/.test(text.charAt(at));
  let [start, end] = [from, to];
  while (isPart(start - 1)) start--;
  while (isPart(end)) end++;
  return [start, end];
}

/** Words of settings that are no secret wherever they are. */
function isOrdinary(value: string): boolean {
  return /^(?:true|false|null|undefined|none|default|production|development|localhost|bearer|basic|include|omit|same-origin|strict|required|optional|\[masked\]|\d{1,6}|(?:application|audio|font|image|message|model|multipart|text|video)\/[\w.+-]+)$/i.test(
    value,
  );
}

function squeeze(text: string): Squeezed {
  const places: number[] = [];
  let squeezed = '';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isKept =
      (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code > 127;
    if (!isKept) continue;
    squeezed += text[at]!.toLowerCase();
    places.push(at);
  }
  return { text: squeezed, places };
}

interface Search {
  grams: ReadonlySet<string>;
  size: number;
  spans: [number, number][];
}

function addSpans({ text, places }: Squeezed, { grams, size, spans }: Search): void {
  for (let at = 0; at + size <= text.length; at++)
    if (grams.has(text.slice(at, at + size))) spans.push([places[at]!, places[at + size - 1]! + 1]);
}

function merge(spans: [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
