/** Where one stands while going back through what was said before. */
export interface Recall {
  /** Place in what was said. */
  at: number;
  /** What stood in the field before. */
  typed: string;
}

/** One step back (-1) or forth (1) in what was said; undefined where the key means something else. */
export function recallPrompt(
  said: readonly string[],
  now: Recall | undefined,
  { by, text }: { by: -1 | 1; text: string },
): { recall: Recall | undefined; text: string } | undefined {
  // What was recalled and then changed is a text of its own: arrows move in it.
  const isRecalled = now !== undefined && said[now.at] === text;
  if (!isRecalled && (by === 1 || text !== '')) return undefined;
  const at = (isRecalled ? now.at : said.length) + by;
  if (at < 0) return isRecalled ? { recall: now, text } : undefined;
  const typed = isRecalled ? now.typed : text;
  return at >= said.length ? { recall: undefined, text: typed } : { recall: { at, typed }, text: said[at]! };
}

const KEY = 'klaus.said';

/** Messages that are kept, and characters of one. */
const MAX_SAID = 50;
const MAX_CHARS = 4_000;

/** What was said in this browser to begin a session, the latest last. */
export function readHistory(): readonly string[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown[];
    return kept.filter((it) => typeof it === 'string');
  } catch {
    return [];
  }
}

export function addToHistory(text: string): void {
  if (text.trim() === '' || text.length > MAX_CHARS) return;
  const all = [...readHistory().filter((it) => it !== text), text].slice(-MAX_SAID);
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // A browser that keeps nothing has no history.
  }
}

export function clearHistory(): void {
  try {
    localStorage.removeItem(KEY);
  } catch {
    // Nothing was kept.
  }
}
