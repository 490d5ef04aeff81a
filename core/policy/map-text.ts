/** A JSON value with every text in it changed; the same value without a copy if no text changes. Keys stay. */
export function mapText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => mapText(item, change));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, item, mapText(item, change)] as const);
  if (entries.every(([, item, other]) => item === other)) return value;
  return Object.fromEntries(entries.map(([key, , other]) => [key, other]));
}
