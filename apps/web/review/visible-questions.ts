import { useEffect, type RefObject } from 'react';
import { createStore } from '../state/store.ts';

/** Ids of the approvals whose question is in view. */
export const visibleQuestions = createStore<ReadonlySet<string>>(new Set());

function setVisible(approval: string, isVisible: boolean): void {
  const before = visibleQuestions.get();
  if (before.has(approval) === isVisible) return;
  const ids = new Set(before);
  if (isVisible) ids.add(approval);
  else ids.delete(approval);
  visibleQuestions.set(ids);
}

/** Records whether the element of a question is in view. */
export function useVisibleQuestion(approval: string, element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setVisible(approval, entry?.isIntersecting === true));
    observer.observe(element.current!);
    return () => {
      observer.disconnect();
      setVisible(approval, false);
    };
  }, [approval, element]);
}
