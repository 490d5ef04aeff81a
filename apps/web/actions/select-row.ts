import type { KeyboardEvent, MouseEvent } from 'react';
import { hasAccess } from '../state/access.ts';
import { selectTo, selection, toggleSelected } from '../state/selection.ts';

/** Ctrl (Command) and a click select a row, Shift and a click a range. */
export function onRowClick(event: MouseEvent, id: string): void {
  if (!hasAccess('operator')) return;
  const isRange = event.shiftKey;
  if (!isRange && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  if (isRange) selectTo(id);
  else toggleSelected(id);
}

/** Arrow keys move the focus between the rows of a list; Space selects, Shift and an arrow key a range. */
export function onRowKey(event: KeyboardEvent<HTMLElement>, id: string): void {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return;
  if (key === ' ' && hasAccess('operator')) {
    event.preventDefault();
    if (shiftKey) selectTo(id);
    else toggleSelected(id);
    return;
  }
  const by = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : undefined;
  if (by === undefined) return;
  const list = event.currentTarget.closest('.session-list');
  const links = [...(list?.querySelectorAll<HTMLElement>('.session-row > a') ?? [])].toSorted(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  const next = links[links.indexOf(event.currentTarget) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
  if (!shiftKey || !hasAccess('operator')) return;
  if (selection.get().anchor === undefined) selectTo(id);
  const target = /#\/s\/([^/?]+)/.exec(next.getAttribute('href') ?? '')?.[1];
  if (target !== undefined) selectTo(decodeURIComponent(target));
}
