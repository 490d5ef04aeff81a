import { useRef, type RefObject } from 'react';
import { addToHistory, recallPrompt, type Recall } from './history.ts';

/** Brings back what was said before, in a field. */
export function useHistory(
  field: RefObject<HTMLTextAreaElement | null>,
  { said, text, change }: { said: readonly string[]; text: string; change: (text: string) => void },
): {
  /** One step. False: the key means something else there. */
  step: (by: -1 | 1) => boolean;
  /** What stands in the field was sent. */
  sent: () => void;
} {
  const recall = useRef<Recall | undefined>(undefined);
  return {
    step(by) {
      const found = recallPrompt(said, recall.current, { by, text });
      if (!found) return false;
      recall.current = found.recall;
      change(found.text);
      toCaret(field, found.text.length);
      return true;
    },
    sent() {
      addToHistory(text);
      recall.current = undefined;
    },
  };
}

/** Puts the caret to a place, once the field holds the text that has it. */
export function toCaret(field: RefObject<HTMLTextAreaElement | null>, at: number): void {
  requestAnimationFrame(() => field.current?.setSelectionRange(at, at));
}
