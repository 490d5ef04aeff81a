/** Copies data. Maps and Sets become lists. */
export function toPlain(value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [...value].map(toPlain);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}
