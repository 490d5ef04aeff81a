/** Pixels of the page that something covers before it counts as a keyboard. */
const MIN_KEYBOARD = 120;

/**
 * Keeps the page above the keyboard of a phone. Browsers that do not resize the page for it report the visible part.
 */
export function followViewport(root: HTMLElement): void {
  const { visualViewport } = globalThis;
  if (!visualViewport) return;
  const full = () => Math.max(document.documentElement.clientHeight, window.innerHeight);
  const touch = matchMedia('(pointer: coarse)');
  let largest = full();
  const update = () => {
    // Zooming in also makes the visible part smaller.
    if (visualViewport.scale > 1.05) return;
    // Without a touch screen, a window became smaller.
    largest = touch.matches ? Math.max(largest, full()) : full();
    const covered = window.innerHeight - visualViewport.height;
    const isTyping = document.activeElement?.matches('input, textarea, [contenteditable]') ?? false;
    const isOpen = isTyping && Math.max(covered, largest - visualViewport.height) > MIN_KEYBOARD;
    root.dataset['keyboard'] = isOpen ? 'open' : 'closed';
    if (covered > MIN_KEYBOARD) root.style.setProperty('--height', `${visualViewport.height}px`);
    else root.style.removeProperty('--height');
  };
  visualViewport.addEventListener('resize', update);
  document.addEventListener('focusin', update);
  document.addEventListener('focusout', update);
  addEventListener('orientationchange', () => (largest = 0));
  update();
}
