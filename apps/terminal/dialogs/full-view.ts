import { stripVTControlCharacters } from 'node:util';
import { matchesKey, toLineText, truncateToWidth, withoutLast, type Component } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';

export interface FullViewOptions {
  title: string;
  palette: Palette;
  /** Number of blocks, such as the entries of a conversation. */
  count: number;
  /** The lines of a block. */
  render: (index: number, width: number) => readonly string[];
  /** The text of a block, for the search. */
  text: (index: number) => string;
  /** Rows of the terminal. */
  rows: () => number;
  /** True: it begins at the end. */
  isAtEnd?: boolean;
  /** The view must be drawn again, without a key. */
  onChange: () => void;
  onClose: () => void;
}

/** A position: a line of a block. */
interface Position {
  block: number;
  line: number;
}

/**
 * Blocks of lines on the complete screen, with scrolling and a search. Only blocks that are visible are rendered, so that
 * 10,000 entries open at once.
 */
export class FullView implements Component {
  readonly #options: FullViewOptions;
  readonly #cache = new Map<number, readonly string[]>();
  #width = 0;
  #top: Position;
  /** The search that is being typed; undefined outside of a search. */
  #typed: string | undefined;
  #words = '';
  #note = '';
  /** True until the user moves: the end stays visible when a block grows. */
  #isAtEnd: boolean;

  constructor(options: FullViewOptions) {
    this.#options = options;
    this.#isAtEnd = options.isAtEnd ?? false;
    this.#top = { block: 0, line: 0 };
  }

  invalidate(): void {
    this.#cache.clear();
  }

  /** A block has changed. A search that found nothing is repeated. */
  refresh(): void {
    this.invalidate();
    if (this.#note !== '') this.#find(1);
    this.#options.onChange();
  }

  handleInput(data: string): void {
    this.#note = '';
    this.#isAtEnd = false;
    if (this.#typed !== undefined) return this.#type(data);
    const page = Math.max(1, this.#body - 1);
    if (matchesKey(data, 'escape') || matchesKey(data, 'q') || matchesKey(data, 'ctrl+c') || matchesKey(data, 'ctrl+o'))
      return this.#options.onClose();
    if (matchesKey(data, 'up') || matchesKey(data, 'k')) return this.#scroll(-1);
    if (matchesKey(data, 'down') || matchesKey(data, 'j') || matchesKey(data, 'enter')) return this.#scroll(1);
    if (matchesKey(data, 'pageUp') || matchesKey(data, 'b') || matchesKey(data, 'ctrl+b')) return this.#scroll(-page);
    if (matchesKey(data, 'pageDown') || matchesKey(data, 'space') || matchesKey(data, 'ctrl+f'))
      return this.#scroll(page);
    if (matchesKey(data, 'ctrl+u')) return this.#scroll(-Math.ceil(page / 2));
    if (matchesKey(data, 'ctrl+d')) return this.#scroll(Math.ceil(page / 2));
    if (matchesKey(data, 'home') || matchesKey(data, 'g')) this.#top = { block: 0, line: 0 };
    else if (matchesKey(data, 'end') || data === 'G') this.#isAtEnd = true;
    else if (matchesKey(data, '/')) this.#typed = '';
    else if (matchesKey(data, 'n')) this.#find(1);
    else if (data === 'N') this.#find(-1);
  }

  render(width: number): string[] {
    const { palette, title, count } = this.#options;
    if (width !== this.#width) {
      this.#cache.clear();
      this.#width = width;
    }
    if (this.#isAtEnd) this.#toEnd();
    const lines: string[] = [];
    for (let at: Position | undefined = this.#top; at && lines.length < this.#body; at = this.#next(at)) {
      const line = this.#lines(at.block)[at.line];
      if (line !== undefined) lines.push(line);
    }
    while (lines.length < this.#body) lines.push('');
    const place = count === 0 ? 'empty' : count > 1 ? `${this.#top.block + 1} of ${count}` : this.#toLinePlace();
    const keys = 'q closes · / search · ↑↓ PgUp PgDn scroll';
    const foot = this.#typed === undefined ? `${title} · ${place} · ${this.#note || keys}` : `/${this.#typed}`;
    return [...lines, palette.selected(truncateToWidth(foot, width, '…', true))];
  }

  /** Of a view with one block: the last line that is shown. */
  #toLinePlace(): string {
    const { length } = this.#lines(0);
    return `${Math.min(length, this.#top.line + this.#body)} of ${length} lines`;
  }

  get #body(): number {
    return Math.max(1, this.#options.rows() - 1);
  }

  #lines(block: number): readonly string[] {
    let lines = this.#cache.get(block);
    if (!lines) {
      lines = block < this.#options.count ? this.#options.render(block, Math.max(1, this.#width)) : [];
      this.#cache.set(block, lines);
    }
    return lines;
  }

  #next({ block, line }: Position): Position | undefined {
    if (line + 1 < this.#lines(block).length) return { block, line: line + 1 };
    for (let next = block + 1; next < this.#options.count; next++)
      if (this.#lines(next).length > 0) return { block: next, line: 0 };
    return undefined;
  }

  #previous({ block, line }: Position): Position | undefined {
    if (line > 0) return { block, line: line - 1 };
    for (let next = block - 1; next >= 0; next--) {
      const { length } = this.#lines(next);
      if (length > 0) return { block: next, line: length - 1 };
    }
    return undefined;
  }

  #scroll(by: number): void {
    const step = by < 0 ? (at: Position) => this.#previous(at) : (at: Position) => this.#next(at);
    for (let left = Math.abs(by); left > 0; left--) {
      const next = step(this.#top);
      if (!next) break;
      this.#top = next;
    }
    if (by > 0) this.#fill();
  }

  /** Moves up, so that the end of the last block is at the bottom of the screen and not above it. */
  #fill(): void {
    let rows = 0;
    for (let at: Position | undefined = this.#top; at && rows < this.#body; at = this.#next(at)) rows += 1;
    for (; rows < this.#body; rows++) {
      const above = this.#previous(this.#top);
      if (!above) return;
      this.#top = above;
    }
  }

  #toEnd(): void {
    const { count } = this.#options;
    this.#top = { block: Math.max(0, count - 1), line: Math.max(0, this.#lines(count - 1).length - 1) };
    this.#fill();
  }

  #type(data: string): void {
    const typed = this.#typed ?? '';
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) this.#typed = undefined;
    else if (matchesKey(data, 'backspace')) this.#typed = withoutLast(typed);
    else if (matchesKey(data, 'enter')) {
      this.#typed = undefined;
      this.#words = typed;
      this.#find(1);
    } else this.#typed = typed + toLineText(data);
  }

  #find(direction: 1 | -1): void {
    const words = this.#words.toLowerCase();
    const { count, text } = this.#options;
    this.#note = '';
    if (words === '') return;
    for (let step = 0; step <= count; step++) {
      const block = (this.#top.block + direction * step + count * 2) % count;
      if (!text(block).toLowerCase().includes(words)) continue;
      const line = this.#findLine(block, { words, direction, isCurrent: step === 0 });
      if (line === undefined) continue;
      this.#top = { block, line };
      this.#fill();
      return;
    }
    this.#note = `nothing contains ${words}`;
  }

  /** The next line of a block with the words. A block that has them only in what it does not show: its first line. */
  #findLine(
    block: number,
    { words, direction, isCurrent }: { words: string; direction: 1 | -1; isCurrent: boolean },
  ): number | undefined {
    const found = this.#lines(block).flatMap((line, at) =>
      stripVTControlCharacters(line).toLowerCase().includes(words) ? [at] : [],
    );
    const { line: top } = this.#top;
    if (isCurrent) return direction > 0 ? found.find((at) => at > top) : found.findLast((at) => at < top);
    return (direction > 0 ? found[0] : found.at(-1)) ?? 0;
  }
}
