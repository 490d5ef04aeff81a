/** 0 if the text begins with the query, 1 if one of its words does, otherwise 2. */
export function rankWords(text: string, query: string): number {
  const [lower, wanted] = [text.toLowerCase(), query.trim().toLowerCase()];
  if (lower.startsWith(wanted)) return 0;
  return lower.includes(` ${wanted}`) ? 1 : 2;
}

/** True if the text contains every word of the query, ignoring case. */
export function matchWords(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
