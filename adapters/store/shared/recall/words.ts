import { headOf } from '@klaus/core/cut-text';

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

/** The words of a query in order, with stop words. */
export function toPhrase(query: string): string[] {
  return toTokens(query).slice(0, MAX_WORDS);
}

function toTokens(text: string): string[] {
  // Words consist of letters and digits alone, so no query language has an operator in them.
  return (
    headOf(text, 10_000)
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{Co}]+/gu) ?? []
  );
}
