import { useRef, type RefObject } from 'react';
import { readStored, writeStored } from '../state/storage.ts';

interface Recall {
  at: number;
  /** The text of the field before the first step. */
  typed: string;
}

/** Moves back (-1) or forward (1) in the history; undefined if the key should move the caret instead. */
export function recallPrompt(
  history: readonly string[],
  now: Recall | undefined,
  { by, text }: { by: -1 | 1; text: string },
): { recall: Recall | undefined; text: string } | undefined {
  // In an edited prompt, arrow keys move the caret.
  const isRecalled = now !== undefined && history[now.at] === text;
  if (!isRecalled && (by === 1 || text !== '')) return undefined;
  const at = (isRecalled ? now.at : history.length) + by;
  if (at < 0) return isRecalled ? { recall: now, text } : undefined;
  const typed = isRecalled ? now.typed : text;
  return at >= history.length ? { recall: undefined, text: typed } : { recall: { at, typed }, text: history[at]! };
}

const KEY = 'klaus.said';

/** Maximum number of stored prompts, and of characters of one. */
const MAX_PROMPTS = 50;
const MAX_CHARS = 4_000;

/** The prompts sent from this browser, the latest last. */
export function readHistory(): readonly string[] {
  const stored = readStored(KEY);
  return Array.isArray(stored) ? stored.filter((it) => typeof it === 'string') : [];
}

function addToHistory(text: string): void {
  if (text.trim() === '' || text.length > MAX_CHARS) return;
  writeStored(KEY, [...readHistory().filter((it) => it !== text), text].slice(-MAX_PROMPTS));
}

export function clearHistory(): void {
  writeStored(KEY, []);
}

export function useHistory(
  field: RefObject<HTMLTextAreaElement | null>,
  { history, text, change }: { history: readonly string[]; text: string; change: (text: string) => void },
) {
  const recall = useRef<Recall | undefined>(undefined);
  return {
    /** Moves one step. False if the key should move the caret instead. */
    step(by: -1 | 1): boolean {
      const found = recallPrompt(history, recall.current, { by, text });
      if (!found) return false;
      recall.current = found.recall;
      change(found.text);
      setCaret(field, found.text.length);
      return true;
    },
    sent() {
      addToHistory(text);
      recall.current = undefined;
    },
  };
}

/** Sets the caret after the field has been rendered with its new text. */
export function setCaret(field: RefObject<HTMLTextAreaElement | null>, at: number): void {
  requestAnimationFrame(() => field.current?.setSelectionRange(at, at));
}
