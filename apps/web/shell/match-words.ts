/** 0 for a text that begins with the query, 1 for one with a word that does, 2 for any other. */
export function rankWords(text: string, query: string): number {
  const [lower, wanted] = [text.toLowerCase(), query.trim().toLowerCase()];
  if (lower.startsWith(wanted)) return 0;
  return lower.includes(` ${wanted}`) ? 1 : 2;
}

/** True when every word of the query begins somewhere in the text, whatever its case. */
export function matchWords(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
