/**
 * Moves the focus out of a box that is about to disappear, to the head of its call or else to the conversation.
 * Otherwise it would be lost, and a screen reader would start again at the top of the page. Does nothing if the focus is
 * elsewhere.
 */
export function leaveFocus(element: Element | null): void {
  if (!element?.contains(document.activeElement)) return;
  const head = element.closest('article')?.querySelector<HTMLElement>('.call-head');
  (head ?? document.querySelector<HTMLElement>('.conversation-scroll'))?.focus();
}
