/** Words of a query that count. */
const MAX_WORDS = 16;
/** Words that stand everywhere. They count only where nothing else was asked for. */
const COMMON = new Set(
  'a an and are as at be by did do does for from had has have he how i in is it its of on or our she that the their they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
);

/** The words of a query as the index knows them, without those that say nothing. */
export function toWords(query: string): string[] {
  const all = toTokens(query);
  const telling = all.filter((word) => !COMMON.has(word));
  return [...new Set(telling.length > 0 ? telling : all)].slice(0, MAX_WORDS);
}

/**
 * Queries of FTS5, the strictest first: the words as they stand, all of them near each other, all of them, any of
 * them, and words that begin with one of them.
 */
export function toQueries(query: string): string[] {
  const phrase = toTokens(query).slice(0, MAX_WORDS);
  const words = toWords(query).map((word) => `"${word}"`);
  const any = words.join(' OR ');
  if (words.length === 0) return [];
  const starts = words.map((word) => `${word} *`).join(' OR ');
  if (words.length === 1) return [words[0]!, starts];
  return [`"${phrase.join(' ')}"`, `NEAR(${words.join(' ')}, 12)`, words.join(' AND '), any, starts];
}

function toTokens(text: string): string[] {
  // Only letters and digits come into a query of FTS5, so nothing in it can be an operator.
  return (
    text
      .slice(0, 10_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []
  );
}
