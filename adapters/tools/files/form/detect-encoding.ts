import { decodeAs, hasNoControls, toTextEncoding, type DecodedText, type TextEncoding } from '@klaus/core/policy';

/** A text whose encoding is not named by a mark, by its bytes, or by the project. */
export interface DetectedText extends DecodedText {
  /** Encodings that the file can have as well, and in which it is another text. Absent: none. */
  others?: readonly TextEncoding[];
}

/** Encodings of languages in Latin letters. In most of them a byte is the same letter. */
const LATIN = [
  'windows-1252',
  'windows-1250',
  'iso-8859-2',
  'iso-8859-15',
  'windows-1254',
  'windows-1257',
] as const satisfies TextEncoding[];
/** Encodings of two bytes a character. Of several that are possible, the first one is shown. */
const DOUBLE = new Set<TextEncoding>(['gbk', 'gb18030', 'shift_jis', 'big5', 'euc-kr', 'euc-jp']);

/** Confidence of the detector, from 0 to 100, that decides alone: characters of the language are frequent. */
const SURE_DOUBLE = 90;
const SURE_SINGLE = 30;
/** Letters beyond ASCII without which a file of one byte a letter is not decided. */
const ENOUGH = 16;
/** How often the confidence of the second must fit into that of the first. */
const CLEAR = 2;
/** Bytes of the words that the detector compares. */
const SAMPLE = 65_536;

/**
 * The text of a file that is neither UTF-8 nor marked as UTF-16; undefined for binary content. The detector compares
 * how frequent letters and characters are in languages; a short text can be in several encodings.
 */
export async function detectEncoding(
  content: Uint8Array,
  { isComplete = true } = {},
): Promise<DetectedText | undefined> {
  if (content.includes(0) || !hasNoControls(content)) return undefined;
  const { analyse } = await import('chardet');
  const words = toWords(content);
  const found = analyse(words.bytes)
    .flatMap(({ name, confidence }) => {
      const encoding = toWritten(name, content);
      return encoding && confidence > 0 ? [{ encoding, confidence }] : [];
    })
    .filter(({ encoding }) => decode(encoding, content, isComplete) !== undefined);
  const [first, second] = found;
  if (first && DOUBLE.has(first.encoding) && first.confidence >= SURE_DOUBLE)
    return decode(first.encoding, content, isComplete);
  const isSingle = first && !DOUBLE.has(first.encoding) && !LATIN.some((name) => name === first.encoding);
  const isClear = (first?.confidence ?? 0) >= Math.max(SURE_SINGLE, CLEAR * (second?.confidence ?? 0));
  if (isSingle && isClear && !words.isLatin && words.high >= ENOUGH) return decode(first.encoding, content, isComplete);
  const doubles = words.isLatin ? [] : [...DOUBLE].filter((name) => found.some(({ encoding }) => encoding === name));
  const singles = words.isLatin ? [] : found.map(({ encoding }) => encoding).filter((name) => !DOUBLE.has(name));
  const names = [...new Set<TextEncoding>([...doubles, ...singles, ...LATIN])];
  const texts = names.flatMap((name) => decode(name, content, isComplete) ?? []);
  const [shown, ...rest] = texts;
  if (!shown) return undefined;
  const others = rest.map(({ encoding }) => encoding);
  return others.length === 0 ? shown : { ...shown, others };
}

/** True if the text is the same in every encoding that the file can have. */
export function isSameText({ text, others = [] }: DetectedText, content: Uint8Array): boolean {
  return others.every((name) => decode(name, content, true)?.text === text);
}

/** The encoding to write for a name of the detector. */
function toWritten(name: string, content: Uint8Array): TextEncoding | undefined {
  if (name !== 'GB18030') return toTextEncoding(name);
  // Most programs that read one read the other; a character of four bytes is only in GB18030.
  return hasFourBytes(content) ? 'gb18030' : 'gbk';
}

function hasFourBytes(content: Uint8Array): boolean {
  return /[\x81-\xfe][0-9][\x81-\xfe][0-9]/.test(Buffer.from(content).toString('latin1'));
}

/** Undefined also for a text with control characters, which a wrong encoding of one byte a letter gives. */
function decode(encoding: TextEncoding, content: Uint8Array, isComplete: boolean): DecodedText | undefined {
  const decoded = decodeAs(encoding, content, { isComplete });
  return decoded && !/[\u0080-\u009f]/.test(decoded.text) ? decoded : undefined;
}

/** A word with a byte beyond ASCII, up to the next space or mark. */
const WORD = /[A-Za-z@[\\\]^_`{|}~\x80-\xff]*[\x80-\xff][A-Za-z@[\\\]^_`{|}~\x80-\xff]*/g;

/**
 * The words beyond ASCII: the code around them would be taken for English.
 *
 * @returns `isLatin`: most of their letters are ASCII, as in European languages.
 */
function toWords(content: Uint8Array): { bytes: Uint8Array; high: number; isLatin: boolean } {
  const words = Buffer.from(content).toString('latin1').match(WORD) ?? [];
  const text = words.join(' ').slice(0, SAMPLE);
  const ascii = (text.match(/[A-Za-z]/g) ?? []).length;
  const high = (text.match(/[\x80-\xff]/g) ?? []).length;
  return { bytes: Buffer.from(`${text} `, 'latin1'), high, isLatin: ascii > high };
}
