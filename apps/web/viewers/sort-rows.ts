export interface Sorting {
  column: number;
  isDescending: boolean;
}

/** Indexes of the rows that contain the words, in order. Numbers are sorted by value, and empty cells come last. */
export function toShownRows(
  rows: readonly (readonly string[])[],
  { words, sorting }: { words: string; sorting: Sorting | undefined },
): number[] {
  const wanted = words.trim().toLowerCase();
  const found: number[] = [];
  for (const [at, row] of rows.entries()) {
    if (wanted === '' || row.some((cell) => cell.toLowerCase().includes(wanted))) found.push(at);
  }
  if (!sorting) return found;
  const { column, isDescending } = sorting;
  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = (a: string, b: string) => {
    const [left, right] = [Number(a), Number(b)];
    return Number.isNaN(left) || Number.isNaN(right) ? collator.compare(a, b) : left - right;
  };
  return found.sort((first, second) => {
    const a = rows[first]![column] ?? '';
    const b = rows[second]![column] ?? '';
    if (a === '' || b === '') return a === b ? first - second : a === '' ? 1 : -1;
    return (isDescending ? compare(b, a) : compare(a, b)) || first - second;
  });
}
