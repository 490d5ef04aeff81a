/** Encodings in which files are read and written, by the names of the Encoding Standard. */
export const TEXT_ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
  'windows-874',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'koi8-r',
  'koi8-u',
  'ibm866',
  'macintosh',
  'gbk',
  'gb18030',
  'big5',
  'shift_jis',
  'euc-jp',
  'euc-kr',
] as const;
/** Latin-1 files are read as windows-1252, which writes the same bytes. */
export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/** The encoding with a name or an alias, such as `latin1`, `SJIS` or `cp1251`. Undefined: Klaus cannot write it. */
export function toTextEncoding(label: string): TextEncoding | undefined {
  const name = label.trim().toLowerCase();
  // Names of editors and of iconv that the Encoding Standard does not have.
  const plain = name.replace(/^(?:cp|ms)-?(125\d|874)$/, 'windows-$1').replace(/^cp(?:936|932|949|950)$/, toOfWindows);
  if (plain === 'utf-8-bom') return 'utf-8';
  try {
    const { encoding } = new TextDecoder(plain);
    return TEXT_ENCODINGS.find((known) => known === encoding);
  } catch {
    return undefined;
  }
}

function toOfWindows(page: string): string {
  return { cp936: 'gbk', cp932: 'shift_jis', cp949: 'euc-kr', cp950: 'big5' }[page]!;
}

export interface DecodedText {
  /** A byte-order mark is its first character. */
  text: string;
  encoding: TextEncoding;
}

/** First bytes of binary files whose bytes could all be letters. */
const NO_TEXT = ['89504e47', 'ffd8ff', '25504446', '1f8b', '28b52ffd', '504b0304'];
/** Letters beyond ASCII that a text in a language of one byte a letter has at most, as a share of its bytes. */
const MOST_HIGH = 0.4;

/**
 * The content of a text file; undefined for binary content. Decoding and encoding is exact. UTF-16 is known by its
 * byte-order mark; what is not UTF-8 and has no control characters is windows-1252, which has a letter for every byte.
 * File tools, which know the rules of the project, find the encoding of such a file themselves.
 *
 * @param isComplete False: the content may end within a character. Default true.
 * @source https://encoding.spec.whatwg.org/
 */
export function decodeContent(content: Uint8Array, { isComplete = true } = {}): DecodedText | undefined {
  const unicode = decodeUnicode(content, { isComplete });
  if (unicode || content.includes(0) || !hasNoControls(content)) return unicode;
  const high = content.reduce((count, byte) => (byte >= 0x80 ? count + 1 : count), 0);
  if (high > Math.max(2, content.length * MOST_HIGH)) return undefined;
  return decodeAs('windows-1252', content);
}

/** As {@link decodeContent}, for UTF-8 and for UTF-16 with a byte-order mark alone. */
export function decodeUnicode(content: Uint8Array, { isComplete = true } = {}): DecodedText | undefined {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', content, { isComplete });
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', content, { isComplete });
  return content.includes(0) ? undefined : decodeAs('utf-8', content, { isComplete });
}

/** The content in one encoding; undefined if it is not valid in it. @param isComplete See {@link decodeContent}. */
export function decodeAs(
  encoding: TextEncoding,
  content: Uint8Array,
  { isComplete = true } = {},
): DecodedText | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    const text = decoder.decode(content, { stream: !isComplete });
    return text.includes('\0') ? undefined : { text, encoding };
  } catch {
    return undefined;
  }
}

/** True for bytes without control characters that a text does not have, and without the beginning of a known format. */
export function hasNoControls(content: Uint8Array): boolean {
  const head = [...content.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (NO_TEXT.some((start) => head.startsWith(start))) return false;
  // Texts contain tab, line feed, form feed, carriage return and escape.
  return content.every(
    (byte) => byte !== 0x7f && (byte >= 0x20 || byte === 9 || byte === 10 || byte === 12 || byte === 13 || byte === 27),
  );
}

/**
 * The bytes of a text in an encoding.
 *
 * @returns Instead the first character that the encoding does not have, if there is one.
 */
export function encodeContent(text: string, encoding: TextEncoding): { content: Uint8Array } | { missing: string } {
  if (encoding === 'utf-8') return { content: new TextEncoder().encode(text) };
  if (encoding === 'utf-16le' || encoding === 'utf-16be')
    return { content: encodeUtf16(text, { isLittle: encoding === 'utf-16le' }) };
  const table = tableOf(encoding);
  const content = new Uint8Array(text.length * LONGEST);
  let at = 0;
  for (const letter of text) {
    const code = letter.codePointAt(0)!;
    const bytes = code < 0x80 ? undefined : table.get(letter);
    if (code >= 0x80 && !bytes) return { missing: letter };
    if (bytes) content.set(bytes, at);
    else content[at] = code;
    at += bytes?.length ?? 1;
  }
  return { content: content.subarray(0, at) };
}

function encodeUtf16(text: string, { isLittle }: { isLittle: boolean }): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
  return new Uint8Array(view.buffer);
}

/** Most bytes of a character. */
const LONGEST = 4;
const SINGLE = { first: 0x80, last: 0xff };
const tables = new Map<TextEncoding, ReadonlyMap<string, Uint8Array>>();

/** The bytes of each character, from the decoder: the platform has no encoder. */
function tableOf(encoding: TextEncoding): ReadonlyMap<string, Uint8Array> {
  const known = tables.get(encoding);
  if (known) return known;
  const sequences = listSequences(encoding);
  // A line break ends an incomplete sequence in all of these encodings.
  const all = new Uint8Array(sequences.length * (LONGEST + 1)).fill(10);
  sequences.forEach((sequence, at) => all.set(sequence, at * (LONGEST + 1)));
  const letters = new TextDecoder(encoding, { ignoreBOM: true }).decode(all).split(/\n+/);
  const table = new Map<string, Uint8Array>();
  sequences.forEach((sequence, at) => {
    const letter = letters[at]!;
    // Of two sequences for one character, the first one is usual.
    if (!letter.includes('\uFFFD') && Array.from(letter).length === 1 && !table.has(letter))
      table.set(letter, sequence);
  });
  tables.set(encoding, table);
  return table;
}

/** The sequences of bytes that can be one character, usual ones first. */
function listSequences(encoding: TextEncoding): Uint8Array[] {
  const found: Uint8Array[] = [];
  const each = (ranges: readonly { first: number; last: number }[], prefix: readonly number[] = []): void => {
    const [range, ...rest] = ranges;
    if (!range) return void found.push(Uint8Array.from(prefix));
    for (let byte = range.first; byte <= range.last; byte++) each(rest, [...prefix, byte]);
  };
  each([SINGLE]);
  const trail = { first: 0x40, last: 0xfe };
  if (encoding === 'gbk' || encoding === 'gb18030' || encoding === 'euc-kr') each([{ first: 0x81, last: 0xfe }, trail]);
  // Characters of Hong Kong have codes below, which are not written.
  if (encoding === 'big5') each([{ first: 0xa1, last: 0xfe }, trail]);
  // The selection of NEC (0xED, 0xEE) repeats characters of IBM.
  if (encoding === 'shift_jis')
    for (const [first, last] of [
      [0x81, 0xec],
      [0xef, 0xfc],
    ] as const)
      each([{ first, last }, trail]);
  if (encoding === 'euc-jp')
    each([
      { first: 0x8e, last: 0xfe },
      { first: 0xa1, last: 0xfe },
    ]);
  const digit = { first: 0x30, last: 0x39 };
  if (encoding === 'gb18030') each([{ first: 0x81, last: 0x84 }, digit, { first: 0x81, last: 0xfe }, digit]);
  return found;
}
