/** Stores the width that a list reserves for its scrollbar as `--scrollbar`; 0 px where scrollbars lie over the content. */
export function measureScrollbar(root: HTMLElement): void {
  const probe = document.createElement('div');
  Object.assign(probe.style, {
    position: 'absolute',
    width: '100px',
    visibility: 'hidden',
    overflow: 'auto',
    scrollbarGutter: 'stable',
  });
  document.body.append(probe);
  root.style.setProperty('--scrollbar', `${probe.offsetWidth - probe.clientWidth}px`);
  probe.remove();
}
