import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import type { RowList } from '../ui/virtual-list.tsx';
import { toPlaces, type ShownRow } from './comment-rows.ts';
import { openComment } from './comments.ts';
import type { Store } from '../state/store.ts';
import type { LineComment } from './comment.ts';

interface LineCursorOptions {
  /** The element around the list. */
  frame: RefObject<HTMLElement | null>;
  list: RefObject<RowList | null>;
  rows: readonly ShownRow[];
  comments: Store<readonly LineComment[]>;
  /** Index of the row before which the first line is searched, if none is hovered, focused or visible. Default 0. */
  start?: number;
}

interface LineCursor {
  /** Focuses the next line that can be commented, in a direction. */
  move: (by: 1 | -1) => void;
  /** Comments on the focused line, else on the hovered one, else on the first visible one. */
  comment: () => void;
}

/**
 * Keys for the lines of a change. The focus is on the button of a line, so that a screen reader reads the line; the arrow
 * keys move it.
 */
export function useLineCursor({ frame, list, rows, comments, start = 0 }: LineCursorOptions): LineCursor {
  const hovered = useRef<Element | undefined>(undefined);
  const toRow = (element: Element | null | undefined): number => {
    const row = element?.closest('[data-index]');
    return row && frame.current?.contains(row) ? Number(row.getAttribute('data-index')) : -1;
  };
  const isLine = (at: number) => rows[at] !== undefined && toPlaces(rows[at]).length > 0;
  /** The first line at or after a row, in a direction; -1 for none. */
  const find = (from: number, by: 1 | -1) => {
    for (let at = from; at >= 0 && at < rows.length; at += by) if (isLine(at)) return at;
    return -1;
  };
  const firstVisible = () => {
    const element = frame.current?.querySelector('.rows');
    const top = element?.getBoundingClientRect().top ?? 0;
    const shown = [...(element?.querySelectorAll('[data-index]') ?? [])]
      .filter((row) => row.getBoundingClientRect().top >= top - 1)
      .map((row) => Number(row.getAttribute('data-index')));
    return find(Math.max(start, Math.min(...shown, rows.length)), 1);
  };
  const focus = (at: number) => {
    list.current?.scrollToIndex(at, { align: 'auto' });
    // The row may be rendered only after the list has scrolled.
    requestAnimationFrame(() => {
      const row = frame.current?.querySelector(`[data-index="${at}"]`);
      const buttons = row?.querySelectorAll<HTMLElement>('.comment-add') ?? [];
      buttons[buttons.length - 1]?.focus({ preventScroll: true });
    });
  };
  const move = (by: 1 | -1) => {
    const at = toRow(document.activeElement);
    const to = at < 0 ? firstVisible() : find(at + by, by);
    if (to >= 0) focus(to);
  };
  const comment = () => {
    const focused = document.activeElement;
    const at = [toRow(focused), toRow(hovered.current), firstVisible()].find((row) => row >= 0 && isLine(row));
    if (at === undefined) return;
    const places = toPlaces(rows[at]!);
    const element = toRow(focused) === at ? focused : hovered.current;
    const side = element?.closest('.diff-line')?.classList.contains('diff-removed') ? 'old' : 'new';
    openComment(comments, places.find((place) => place.side === side) ?? places[0]!);
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const isButton = event.target instanceof Element && event.target.matches('.comment-add');
    if (!isButton || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  });
  useEffect(() => {
    const element = frame.current!;
    const onMove = ({ target }: MouseEvent) => (hovered.current = target instanceof Element ? target : undefined);
    const onLeave = () => (hovered.current = undefined);
    element.addEventListener('keydown', onKeyDown);
    element.addEventListener('mousemove', onMove);
    element.addEventListener('mouseleave', onLeave);
    return () => {
      element.removeEventListener('keydown', onKeyDown);
      element.removeEventListener('mousemove', onMove);
      element.removeEventListener('mouseleave', onLeave);
    };
    // The element stays the same.
  }, []);
  return { move, comment };
}
