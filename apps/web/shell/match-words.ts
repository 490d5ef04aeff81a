/** True when every word of the query begins somewhere in the text, whatever its case. */
export function matchWords(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
