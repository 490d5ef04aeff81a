import type { RefObject } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { findPlaceholder } from './placeholder.ts';

/**
 * Selects the next placeholder of the message, so that typing replaces it.
 *
 * @returns A function that selects the one at or after a position, by default after the selection. False without one.
 */
export function usePlaceholders(field: RefObject<HTMLTextAreaElement | null>): (from?: number) => boolean {
  const fill = (from = field.current?.selectionEnd ?? 0): boolean => {
    const found = field.current && findPlaceholder(field.current.value, from);
    if (!found) return false;
    field.current?.focus();
    field.current?.setSelectionRange(found.start, found.end);
    return true;
  };
  useSignal('fill-placeholder', () => {
    if (!fill(0)) field.current?.focus();
  });
  return fill;
}
