/** Quotes a text as one word for a shell of POSIX, so that a name in a copied command starts nothing. */
export function quoteWord(word: string): string {
  return /^[\w./:=@%+,][\w./:=@%+,-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
