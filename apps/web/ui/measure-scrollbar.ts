/** Stores the width of a scrollbar as the variable `--scrollbar` of an element; 0 px where scrollbars lie over the content. */
export function measureScrollbar(root: HTMLElement): void {
  const probe = document.createElement('div');
  Object.assign(probe.style, { position: 'absolute', visibility: 'hidden', overflow: 'scroll', width: '100px' });
  document.body.append(probe);
  root.style.setProperty('--scrollbar', `${probe.offsetWidth - probe.clientWidth}px`);
  probe.remove();
}
