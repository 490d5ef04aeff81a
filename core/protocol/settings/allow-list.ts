/** True when an entry of an allow-list, which may end in `*`, covers the name. */
export function covers(entry: string, name: string): boolean {
  return entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry;
}
