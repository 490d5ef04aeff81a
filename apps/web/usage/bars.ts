export interface Bar {
  key: string;
  name: string;
  /** US dollars; null: not known. */
  usd: number | null;
}

const DAY_MS = 86_400_000;

/** A bar for every day (`2026-01-31`) from the first to the last, at most the latest `max`. */
export function toBars(rows: readonly Bar[], max: number): Bar[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  const days = [...known.keys()].toSorted();
  const last = Date.parse(days.at(-1) ?? '');
  if (Number.isNaN(last)) return [...rows];
  const first = Math.max(Date.parse(days[0]!), last - (max - 1) * DAY_MS);
  const bars: Bar[] = [];
  for (let at = first; at <= last; at += DAY_MS) {
    const key = new Date(at).toISOString().slice(0, 10);
    bars.push(known.get(key) ?? { key, name: key, usd: 0 });
  }
  return bars;
}

/** A scale from zero to a round number above the maximum, with its marks, and the digits that all of them need. */
export function toScale(most: number): { top: number; marks: number[]; digits: number } {
  if (most <= 0) return { top: 0, marks: [0], digits: 2 };
  const power = 10 ** Math.floor(Math.log10(most));
  const top = [1, 2, 4, 5, 10].map((step) => step * power).find((value) => value >= most * 0.999) ?? most;
  return { top, marks: [0, top / 2, top], digits: Math.max(2, Math.ceil(-Math.log10(top / 2))) };
}
