/** One word or sign of a grant's text, with its position. */
export interface Token {
  kind: 'word' | 'quoted' | 'sign';
  text: string;
  /** Offset of its first character, from 0. */
  at: number;
}

/** `·`, `;` and white space only separate. */
const TOKEN = /(?<quoted>"(?:[^"\\]|\\.)*")|(?<sign>[(),→]|[-=]>)|(?<word>[^\s·;(),→"]+?(?=[\s·;(),→"]|->|=>|$))|"/g;

/**
 * Cuts a grant's text into words and signs.
 *
 * @param refuse Called for text that a grant cannot contain; must throw.
 */
export function toTokens(text: string, refuse: (at: number, message: string) => never): Token[] {
  return Array.from(text.matchAll(TOKEN), ({ groups: { quoted, sign, word } = {}, index: at }): Token => {
    if (quoted !== undefined) return { kind: 'quoted', text: readQuoted(quoted, at, refuse), at };
    if (sign !== undefined) return { kind: 'sign', text: sign.endsWith('>') ? '→' : sign, at };
    if (word === undefined) return refuse(at, 'this quotation mark is never closed');
    const odd = /[^\x21-\x7e]/u.exec(word);
    if (odd && !/^[\p{L}\p{N}]$/u.test(odd[0]))
      refuse(at + odd.index, 'this character must be written in quotes, as \\u and four digits');
    return { kind: 'word', text: word, at };
  });
}

function readQuoted(literal: string, at: number, refuse: (at: number, message: string) => never): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return refuse(at, 'this is no text as JSON writes it');
  }
}
