import { headOf } from '@klaus/core/cut-text';

/** A comment on a line of a change, stored in this browser until it is sent. */
export interface LineComment {
  id: string;
  path: string;
  /** The old side for a removed line, else the new side. */
  side: 'old' | 'new';
  /** From 1. */
  line: number;
  /** Text of the line. */
  quote: string;
  /** Empty until it is saved for the first time. */
  text: string;
  /** The text in its editor; undefined while it is not edited. */
  draft?: string;
}

export type LinePlace = Pick<LineComment, 'path' | 'side' | 'line' | 'quote'>;

export const toPlaceKey = ({ path, side, line }: Omit<LinePlace, 'quote'>) => `${side} ${line} ${path}`;

/** Characters of a quoted line in a message. */
const MAX_QUOTE = 300;

/** The comments that are saved, by path and line. */
export function toSaved(comments: readonly LineComment[]): LineComment[] {
  return comments
    .filter(({ text }) => text.trim() !== '')
    .toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/** One message for the model: each comment with its path, its line, the quoted line and the text. */
export function toCommentText(comments: readonly LineComment[]): string {
  return toSaved(comments)
    .map(({ path, side, line, quote, text }) => {
      const old = side === 'old' ? ' (before the change)' : '';
      return `${path}:${line}${old}\n> ${headOf(quote, MAX_QUOTE)}\n\n${text.trim()}`;
    })
    .join('\n\n');
}
