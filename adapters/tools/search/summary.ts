/** Counts of paths by extension, most frequent first: `.ts 12, .md 3`. */
export function countExtensions(paths: readonly string[]): string {
  return countBy(paths, (path) => /[^/](\.[^./]+)$/.exec(path)?.[1] ?? '(none)');
}

export function countFolders(paths: readonly string[]): string {
  return countBy(paths, (path) => (path.includes('/') ? `${path.split('/')[0]}/` : './'));
}

function countBy(paths: readonly string[], key: (path: string) => string): string {
  const counts = [...Map.groupBy(paths, key)].map(([name, all]) => [name, all.length] as const);
  const sorted = counts.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const shown = sorted.slice(0, 15).map(([name, count]) => `${name} ${count}`);
  return shown.join(', ') + (sorted.length > 15 ? `, and ${sorted.length - 15} more kinds` : '');
}

/** Evenly spread items that have at most `max` characters with their line breaks. */
export function sample(items: readonly string[], max: number): string[] {
  const average = items.reduce((sum, item) => sum + item.length + 1, 0) / Math.max(1, items.length);
  const step = Math.max(1, (items.length * average) / Math.max(1, max));
  const chosen: string[] = [];
  for (let at = 0, used = 0; at < items.length; at += step) {
    const item = items[Math.floor(at)]!;
    if ((used += item.length + 1) > max) break;
    chosen.push(item);
  }
  return chosen;
}
