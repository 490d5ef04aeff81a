/** Words that occur in requests and in code by accident. */
const COMMON = new Set(
  'const else false from function import null return self that this true void with when only should must have into also after before make more than them then they value string number type class public private static async await list data item items name code line lines file files'.split(
    ' ',
  ),
);

/** True if the changed lines have a word or a number of the request. */
export function isRelated(request: readonly string[], lines: string): boolean {
  const words = new Set(toStems(lines));
  return toStems(request.join(' ')).some((stem) => words.has(stem));
}

/** The first characters of each word, so that `uploads` and `uploading` are the same; numbers completely. */
function toStems(text: string): string[] {
  const split = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  const words = split.match(/[a-z]{3,}|\d+/g) ?? [];
  return words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 5));
}
