import type { TextEncoding } from '@klaus/core/policy';
import type { ReadOptions } from '@klaus/core/agent';

const CHUNK = 1024 * 1024;

/** A line, or a part of it. */
export interface ReadLine {
  /** From 1. */
  number: number;
  /** The characters from `from` on, at most `width`, without the line end. */
  text: string;
  /** Characters of the complete line. */
  length: number;
}

export interface LineOptions {
  encoding: TextEncoding;
  separator: '\n' | '\r';
  /** First character of each line, from 1. */
  from: number;
  /** Most characters of each line. */
  width: number;
}

/** The lines of a file, in bounded memory for a line of any length. */
export async function* readLines(
  read: (options: ReadOptions) => Promise<Uint8Array>,
  { encoding, separator, from, width }: LineOptions,
): AsyncGenerator<ReadLine> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const first = from - 1;
  let line: ReadLine = { number: 1, text: '', length: 0 };
  /** True if the last piece of the line ends with `\r`, which is a part of the line end if `\n` follows. */
  let isOpen = false;
  const add = (piece: string): void => {
    if (piece === '') return;
    // Its last character may be the `\r` of a line end.
    const room = width + 1 - line.text.length;
    if (room > 0 && line.length + piece.length > first) {
      const at = Math.max(0, first - line.length);
      line.text += piece.slice(at, at + room);
    }
    line.length += piece.length;
    isOpen = piece.endsWith('\r');
  };
  const take = (isEnded: boolean): ReadLine => {
    const hasReturn = isEnded && isOpen && separator === '\n';
    const length = hasReturn ? line.length - 1 : line.length;
    const taken = { ...line, length, text: line.text.slice(0, Math.max(0, Math.min(width, length - first))) };
    line = { number: line.number + 1, text: '', length: 0 };
    isOpen = false;
    return taken;
  };
  for (let offset = 0; ; offset += CHUNK) {
    const bytes = await read({ offset, length: CHUNK });
    const isLast = bytes.length < CHUNK;
    const pieces = decoder.decode(bytes, { stream: !isLast }).split(separator);
    for (const [at, piece] of pieces.entries()) {
      add(piece);
      if (at < pieces.length - 1) yield take(true);
    }
    if (!isLast) continue;
    if (line.length > 0) yield take(false);
    return;
  }
}
