import { toPhrase, toWords } from '../../shared/recall/words.ts';

/**
 * Queries of FTS5, the strictest first: the phrase, all words near each other, all words, any word, and any word with one
 * of them as a prefix.
 */
export function toQueries(query: string): string[] {
  const phrase = toPhrase(query);
  const words = toWords(query).map((word) => `"${word}"`);
  const any = words.join(' OR ');
  if (words.length === 0) return [];
  const starts = words.map((word) => `${word} *`).join(' OR ');
  if (words.length === 1) return [words[0]!, starts];
  return [`"${phrase.join(' ')}"`, `NEAR(${words.join(' ')}, 12)`, words.join(' AND '), any, starts];
}
