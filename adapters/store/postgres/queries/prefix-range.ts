/** The letters A to Z in lower case, and no others, as `lower` in the collation "C". */
export function toAsciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The range of the texts with a prefix in the order of code points: from the first to before the second. */
export function toPrefixRange(prefix: string): [from: string, before: string] {
  return [prefix, `${prefix}\u{10FFFF}`];
}
