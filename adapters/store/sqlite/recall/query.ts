/** Words of a query that are used. */
const MAX_WORDS = 16;
/** Stop words. They are used only in a query that contains no other words. */
const COMMON = new Set(
  'a an and are as at be by did do does for from had has have he how i in is it its of on or our she that the their they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
);

/** The words of a query without stop words. */
export function toWords(query: string): string[] {
  const all = toTokens(query);
  const specific = all.filter((word) => !COMMON.has(word));
  return [...new Set(specific.length > 0 ? specific : all)].slice(0, MAX_WORDS);
}

/**
 * Queries of FTS5, the strictest first: the phrase, all words near each other, all words, any word, and any word with one
 * of them as a prefix.
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
  // A query of FTS5 consists of letters and digits alone, so it contains no operators.
  return (
    text
      .slice(0, 10_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []
  );
}
