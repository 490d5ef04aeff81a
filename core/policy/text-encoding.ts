/** Encodings in which files are read and written. Latin-1 files are read as windows-1252, which writes the same bytes. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

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
 * byte-order mark; what is not UTF-8 and has no control characters is windows-1252.
 *
 * @param isComplete False: the content may end within a character. Default true.
 * @source https://encoding.spec.whatwg.org/
 */
export function decodeContent(content: Uint8Array, { isComplete = true } = {}): DecodedText | undefined {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return decodeAs('utf-16le', content, isComplete);
  if (first === 0xfe && second === 0xff) return decodeAs('utf-16be', content, isComplete);
  if (content.includes(0)) return undefined;
  return (
    decodeAs('utf-8', content, isComplete) ?? (isPlausible(content) ? decodeAs('windows-1252', content) : undefined)
  );
}

function decodeAs(encoding: TextEncoding, content: Uint8Array, isComplete = true): DecodedText | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    const text = decoder.decode(content, { stream: !isComplete });
    return text.includes('\0') ? undefined : { text, encoding };
  } catch {
    return undefined;
  }
}

/** True for bytes that can be a text of one byte a letter: no control characters, and mostly ASCII. */
function isPlausible(content: Uint8Array): boolean {
  const head = [...content.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  if (NO_TEXT.some((start) => head.startsWith(start))) return false;
  let high = 0;
  for (const byte of content) {
    // Texts contain tab, line feed, form feed, carriage return and escape.
    if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) return false;
    if (byte === 0x7f) return false;
    if (byte >= 0x80) high++;
  }
  return high <= Math.max(2, content.length * MOST_HIGH);
}

let bytesOf: Map<string, number> | undefined;

/**
 * The bytes of a text in an encoding.
 *
 * @returns Instead the first character that the encoding does not have, if there is one.
 */
export function encodeContent(text: string, encoding: TextEncoding): { content: Uint8Array } | { missing: string } {
  if (encoding === 'utf-8') return { content: new TextEncoder().encode(text) };
  if (encoding !== 'windows-1252') return { content: encodeUtf16(text, { isLittle: encoding === 'utf-16le' }) };
  bytesOf ??= new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder(encoding).decode(Uint8Array.of(byte)), byte]),
  );
  const content = new Uint8Array(text.length);
  let at = 0;
  for (const letter of text) {
    const byte = bytesOf.get(letter);
    if (byte === undefined) return { missing: letter };
    content[at++] = byte;
  }
  return { content: content.subarray(0, at) };
}

function encodeUtf16(text: string, { isLittle }: { isLittle: boolean }): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), isLittle);
  return new Uint8Array(view.buffer);
}
