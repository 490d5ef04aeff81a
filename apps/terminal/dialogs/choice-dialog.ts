import {
  CURSOR_MARKER,
  fuzzyFilter,
  matchesKey,
  toLineText,
  truncateToWidth,
  visibleWidth,
  withoutLast,
} from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import type { Dialog } from './dialog.ts';
import { FRAME_WIDTH, toFrame } from './frame.ts';

export interface Choice<T> {
  value: T;
  /** Printable, without colours. */
  label: string;
  /** After the label. */
  detail?: string;
  /** The heading under which it is; choices of a group follow each other. Default: none. */
  group?: string;
}

export interface ChoiceOptions<T> {
  title: string;
  choices: readonly Choice<T>[];
  palette: Palette;
  /** Rows of choices that are shown at once. Default 10. */
  rows?: number;
  /** Index of the first selected choice. Default 0; -1 selects none, so that Enter alone does nothing. */
  selected?: number;
  /** True for keys that have arrived together: they choose nothing. Default: such keys are used. */
  isBurst?: () => boolean;
  /** Finds the choices for a search. Default: those whose label and detail match. */
  search?: (words: string) => readonly Choice<T>[];
  /** Text below the choices. */
  hint?: string;
  onChoose: (value: T) => void;
  onCancel: () => void;
  /** Called with other keys. True: the key was used. */
  onKey?: (data: string, selected: T | undefined) => boolean;
  /** Called when another choice is selected. */
  onSelect?: (value: T) => void;
}

/** Columns of the labels, beside which the details begin at one place. */
const MAX_COLUMN = 32;

/** A list of choices with a search. */
export class ChoiceDialog<T> implements Dialog {
  focused = false;
  readonly #options: ChoiceOptions<T>;
  #words = '';
  #found: readonly Choice<T>[];
  #selected: number;

  constructor(options: ChoiceOptions<T>) {
    this.#options = options;
    this.#found = options.choices;
    this.#selected = options.selected ?? 0;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { onChoose, onCancel, onKey, isBurst } = this.#options;
    const selected = this.#found[this.#selected];
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) return onCancel();
    if (matchesKey(data, 'enter')) {
      if (selected && isBurst?.() !== true) onChoose(selected.value);
      return;
    }
    if (matchesKey(data, 'up') || matchesKey(data, 'ctrl+p')) return this.#move(-1);
    if (matchesKey(data, 'down') || matchesKey(data, 'ctrl+n')) return this.#move(1);
    if (matchesKey(data, 'pageUp')) return this.#move(-this.#rows);
    if (matchesKey(data, 'pageDown')) return this.#move(this.#rows);
    if (onKey?.(data, selected?.value)) return;
    if (matchesKey(data, 'backspace')) this.#search(withoutLast(this.#words));
    else if (matchesKey(data, 'ctrl+u')) this.#search('');
    else if (toLineText(data) !== '') this.#search(this.#words + toLineText(data));
  }

  render(width: number): string[] {
    const { title, palette, hint } = this.#options;
    const search = this.#words === '' ? palette.muted('type to search') : this.#words;
    const cursor = this.focused ? CURSOR_MARKER : '';
    const from = Math.max(0, Math.min(this.#selected - Math.floor(this.#rows / 2), this.#found.length - this.#rows));
    const shown = this.#found.slice(from, from + this.#rows);
    const column = Math.min(MAX_COLUMN, Math.max(0, ...shown.map(({ label }) => visibleWidth(label))));
    const rows = shown.flatMap((choice, index) => {
      const isSelected = from + index === this.#selected;
      const row = this.#toRow(choice, { isSelected, width: width - FRAME_WIDTH, column });
      const isFirst = choice.group !== undefined && choice.group !== shown[index - 1]?.group;
      return isFirst ? [palette.heading(choice.group!), row] : [row];
    });
    const more = this.#found.length - shown.length;
    const place = more > 0 && this.#selected >= 0 ? `${this.#selected + 1} of ${this.#found.length}` : '';
    const keys =
      this.#selected < 0
        ? ([
            ['↑ ↓', 'select'],
            ['Esc', 'cancels'],
          ] as const)
        : ([
            ['Enter', 'chooses'],
            ['Esc', 'cancels'],
          ] as const);
    return toFrame(
      [
        `${cursor}${search}`,
        ...(rows.length === 0 ? [palette.muted('  nothing matches')] : rows),
        ...(hint === undefined ? [] : [palette.muted(hint)]),
      ],
      { width, palette, paint: palette.border, title: palette.strong(title), end: palette.muted(place), keys: [keys] },
    );
  }

  get #rows(): number {
    return this.#options.rows ?? 10;
  }

  #toRow(
    { label, detail = '' }: Choice<T>,
    { isSelected, width, column }: { isSelected: boolean; width: number; column: number },
  ): string {
    const { palette } = this.#options;
    const mark = isSelected ? palette.accent('› ') : '  ';
    const name = truncateToWidth(label, Math.max(1, width - 2), '…');
    const gap = ' '.repeat(2 + Math.max(0, Math.min(column, Math.floor(width / 3)) - visibleWidth(name)));
    const space = width - 2 - visibleWidth(name) - gap.length;
    const text = isSelected ? palette.strong(name) : name;
    return space < 4 || detail === ''
      ? mark + text
      : `${mark}${text}${gap}${palette.muted(truncateToWidth(detail, space, '…'))}`;
  }

  #move(by: number): void {
    if (this.#found.length === 0) return;
    const last = this.#found.length - 1;
    // One step beyond an end continues at the other end; a page stops there.
    const next = this.#selected + by;
    if (Math.abs(by) === 1) this.#selected = next < 0 ? last : next > last ? 0 : next;
    else this.#selected = Math.max(0, Math.min(last, next));
    this.#options.onSelect?.(this.#found[this.#selected]!.value);
  }

  #search(words: string): void {
    const { choices, search } = this.#options;
    this.#words = words;
    this.#selected = Math.min(0, this.#options.selected ?? 0);
    if (words.trim() === '') this.#found = choices;
    else if (search) this.#found = search(words);
    else {
      const found = fuzzyFilter([...choices], words, ({ label, detail = '' }) => `${label} ${detail}`);
      // The best one decides which group is first.
      this.#found = [...Map.groupBy(found, ({ group }) => group).values()].flat();
    }
  }
}
