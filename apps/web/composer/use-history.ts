import { useRef, type RefObject } from 'react';
import { addToHistory, recallPrompt, type Recall } from './history.ts';

export function useHistory(
  field: RefObject<HTMLTextAreaElement | null>,
  { history, text, change }: { history: readonly string[]; text: string; change: (text: string) => void },
): {
  /** Moves one step. False if the key should move the caret instead. */
  step: (by: -1 | 1) => boolean;
  sent: () => void;
} {
  const recall = useRef<Recall | undefined>(undefined);
  return {
    step(by) {
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
