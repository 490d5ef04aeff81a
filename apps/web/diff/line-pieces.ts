import { toChangedWords, type WordPiece } from '@klaus/core/changed-words';
import type { CodeLine, DiffLine } from '@klaus/core/conversation';

/** A part of a line with one colour. `kind`: as of a piece of code. */
export interface LinePiece {
  kind: string;
  text: string;
  isChanged: boolean;
}

const words = new WeakMap<DiffLine, readonly WordPiece[] | undefined>();

/** The words of a replaced line; undefined for other lines. */
function toWords(line: DiffLine): readonly WordPiece[] | undefined {
  const { kind, text, other } = line;
  if (other === undefined || (kind !== 'removed' && kind !== 'added')) return undefined;
  if (!words.has(line)) {
    const pair = kind === 'removed' ? toChangedWords(text, other) : toChangedWords(other, text);
    words.set(line, pair?.[kind]);
  }
  return words.get(line);
}

/**
 * The parts of a line: its changed words, each in the colours of its code.
 *
 * @param code Pieces of the complete line. Ignored for a part of a long line, which has another text.
 */
export function toLinePieces(line: DiffLine, code: CodeLine | undefined): LinePiece[] {
  const changed = toWords(line) ?? [{ text: line.text, isChanged: false }];
  const isSame = code?.map(({ text }) => text).join('') === line.text;
  const plain = isSame ? code : [{ kind: '', text: line.text }];
  const pieces: LinePiece[] = [];
  let word = 0;
  let used = 0;
  for (const { kind, text } of plain) {
    for (let from = 0; from < text.length;) {
      const at = changed[word]!;
      const length = Math.min(at.text.length - used, text.length - from);
      if (length > 0) pieces.push({ kind, text: text.slice(from, from + length), isChanged: at.isChanged });
      from += length;
      used += length;
      if (used === at.text.length) [word, used] = [word + 1, 0];
    }
  }
  return pieces;
}
