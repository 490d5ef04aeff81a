/** Shannon entropy of a text, in bits for each of its UTF-16 units. Random Base64 has about 5, a word about 3. */
export function entropy(text: string): number {
  if (text.length === 0) return 0;
  const counts = new Map<number, number>();
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    counts.set(unit, (counts.get(unit) ?? 0) + 1);
  }
  let sum = 0;
  for (const count of counts.values()) sum -= (count / text.length) * Math.log2(count / text.length);
  return sum;
}
