import { decodeAs, decodeUnicode, encodeContent, type TextEncoding } from '@klaus/core/policy';
import { detectEncoding, type DetectedText } from './detect-encoding.ts';
import type { FileRules } from './file-rules.ts';

const DOUBLE = new Set<TextEncoding>(['gbk', 'gb18030', 'shift_jis', 'big5', 'euc-kr', 'euc-jp']);

/**
 * The text of a file; undefined for binary content. A byte-order mark decides, then the rules of the user and the
 * project, then whether the content is UTF-8, then the detector.
 *
 * @param isComplete False: the content may end within a character. Default true.
 */
export async function decodeFile(
  content: Uint8Array,
  { encoding }: FileRules = {},
  { isComplete = true } = {},
): Promise<DetectedText | undefined> {
  const unicode = decodeUnicode(content, { isComplete });
  if (unicode && (encoding === undefined || hasMark(content))) return unicode;
  const known = encoding && decodeAs(encoding, content, { isComplete });
  // A text of one byte a letter is valid in any encoding, one with characters of UTF-8 is that.
  if (known && (!unicode || DOUBLE.has(known.encoding) || isPlain(content))) return known;
  return unicode ?? detectEncoding(content, { isComplete });
}

function hasMark([first, second, third]: Uint8Array): boolean {
  return (
    (first === 0xef && second === 0xbb && third === 0xbf) ||
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff)
  );
}

function isPlain(content: Uint8Array): boolean {
  return content.every((byte) => byte < 0x80);
}

/** The first character of a text that an encoding does not have. */
export function findMissing(text: string, encoding: TextEncoding): string | undefined {
  const encoded = encodeContent(text, encoding);
  return 'missing' in encoded ? encoded.missing : undefined;
}
