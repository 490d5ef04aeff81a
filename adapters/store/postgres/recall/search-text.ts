import { headOf } from '@klaus/core/cut-text';

/** Characters of a text that the index contains: a vector of words has at most one megabyte. */
const MAX_INDEXED = 120_000;

/** The words of a text for `to_tsvector`, without marks such as accents, separated by spaces. */
export function toSearchText(text: string): string {
  return toSearchWords(headOf(text, MAX_INDEXED)).join(' ');
}

/** Words of letters and digits, in lower case, without marks such as accents. */
function toSearchWords(text: string): string[] {
  return (
    text
      .normalize('NFD')
      .replaceAll(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []
  );
}

/** A query of `to_tsquery` for words that consist of letters and digits. @param options.prefix Also longer words. */
export function toTextQuery(
  words: readonly string[],
  operator: '&' | '|' | '<->',
  { prefix = false }: { prefix?: boolean } = {},
): string {
  return words
    .flatMap(toSearchWords)
    .map((word) => `'${word}'${prefix ? ':*' : ''}`)
    .join(` ${operator} `);
}
