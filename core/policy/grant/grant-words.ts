/** One word or sign of a grant's text, with its position. */
export interface Token {
  kind: 'word' | 'quoted' | 'sign';
  text: string;
  /** Offset of its first character, from 0. */
  at: number;
}

/** Signs that are tokens. `·`, `;` and white space only separate. */
const SIGNS = new Set(['(', ')', ',', '→']);

/**
 * Cuts a grant's text into words and signs.
 *
 * @param refuse Called for text that a grant cannot contain; must throw.
 */
export function toTokens(text: string, refuse: (at: number, message: string) => never): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at]!;
    if (character === '"') {
      const token = readQuoted(text, at, refuse);
      tokens.push({ kind: 'quoted', text: token.text, at });
      at = token.end;
    } else if (/[\s·;]/.test(character)) at++;
    else if (SIGNS.has(character)) tokens.push({ kind: 'sign', text: character, at: at++ });
    else if (/^(?:->|=>)/.test(text.slice(at, at + 2))) {
      tokens.push({ kind: 'sign', text: '→', at });
      at += 2;
    } else {
      const word = /^[^\s·;(),→"]+?(?=[\s·;(),→"]|->|=>|$)/.exec(text.slice(at))![0];
      const odd = /[^\x21-\x7e]/u.exec(word);
      if (odd && !/^[\p{L}\p{N}]$/u.test(odd[0])) {
        refuse(at + odd.index, 'this character must be written in quotes, as \\u and four digits');
      }
      tokens.push({ kind: 'word', text: word, at });
      at += word.length;
    }
  }
  return tokens;
}

function readQuoted(
  text: string,
  at: number,
  refuse: (at: number, message: string) => never,
): { text: string; end: number } {
  const literal = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(at))?.[0];
  if (literal === undefined) return refuse(at, 'this quotation mark is never closed');
  try {
    return { text: JSON.parse(literal) as string, end: at + literal.length };
  } catch {
    return refuse(at, 'this is no text as JSON writes it');
  }
}
