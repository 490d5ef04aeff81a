import {
  type Component,
  type Terminal,
  truncateToWidth,
  TuiMainScreen,
  visibleWidth,
  wrapTextWithAnsi,
} from '@earendil-works/pi-tui';
import { ERASE_BELOW, ERASE_LINE, toChanges, toRow } from './frame-changes.ts';
import type { CellSize } from './queried-terminal.ts';
import { toSafeLines } from './safe-line.ts';
import { isSixelRow } from './sixel-rows.ts';

const BEGIN = '\u001b[?2026h';
const END = '\u001b[?7h\u001b[?2026l';
/** A changing row that is too long for the window is cut; finished lines are wrapped. */
const CUT_ROWS = '\u001b[?7l';
const ENTER_FULL = '\u001b[?1049h\u001b[H';
const LEAVE_FULL = '\u001b[?1049l';
/** A new row below everything that the window shows. */
const TO_NEW_ROW = '\u001b[9999;1H\r\n';
const FOCUS_ON = '\u001b[?1004h';
const FOCUS_OFF = '\u001b[?1004l';

/** A terminal that may show sixel images, and may know which keys have arrived together. */
type ScreenTerminal = Terminal & {
  readonly sixelCell?: CellSize;
  readonly isBurst?: boolean;
  refreshSize?: () => void;
  inputEnd?: () => Promise<void>;
};

/** Finished lines that can be written again: at least as many as a window has rows. */
const MAX_RECENT = 100;

/**
 * What a terminal does with long rows when it becomes narrower. `all` wraps each of them, and the cursor stays at its
 * character. `others` is xterm.js: it cuts the row of the cursor and wraps the others, and moves the cursor down by each row
 * that it adds, also by those below the cursor. `none` cuts all.
 */
export type Reflow = 'all' | 'others' | 'none';

/**
 * The part of a terminal that changes: some rows at the bottom of the main screen. Finished lines are written above
 * them once and then belong to the terminal, so that its scrollback, selection and search work, and a frame costs the
 * same after 10,000 messages as after one. Nothing ever clears the screen.
 *
 * The layout, the focus and the timing of frames are those of the base class; only the drawing is different.
 */
export class InlineScreen extends TuiMainScreen {
  /** Finished lines that the next frame writes. */
  #finished: string[] = [];
  /** The rows of the last frame, and the position of the cursor in them. */
  #shown: readonly string[] = [];
  #row = 0;
  #column = 0;
  /** The last finished lines, as they were written. */
  #recent: string[] = [];
  /** Finished lines until rows of a frame for which a window was too low count as scrolled away. */
  #stale = 0;
  /** Columns and rows of the window at the last frame; no columns before the first one. */
  #width = 0;
  #height = 0;
  #full: { component: Component; rows: readonly string[]; size: string; openedAt: string } | undefined;
  readonly #reflows: Reflow;
  readonly #settleMs: number;
  #isDrawing = false;
  /** True between start and stop. */
  #isOpen = false;
  #reportsFocus = false;
  /** The size at the last call, as `120x30`, and the timer that runs while it is new. */
  #size = '';
  #resizing: NodeJS.Timeout | undefined;

  /** @param settleMs Milliseconds without another size of the window after which it is drawn again. Default 60. */
  constructor(terminal: ScreenTerminal, { reflows, settleMs = 60 }: { reflows: Reflow; settleMs?: number }) {
    super(terminal);
    this.#reflows = reflows;
    this.#settleMs = settleMs;
  }

  /** The size of a cell, if finished lines may contain sixel images. */
  get sixelCell(): CellSize | undefined {
    return (this.terminal as ScreenTerminal).sixelCell;
  }

  /** True while a key is handled that has arrived together with others. Such a key never answers a question. */
  get isBurst(): boolean {
    return (this.terminal as ScreenTerminal).isBurst ?? false;
  }

  /** Writes lines above the changing rows, which never change again. While a frame is rendered, they are a part of it. */
  finish(lines: readonly string[]): void {
    for (const line of lines) this.#finished.push(line);
    if (!this.#isDrawing) this.requestRender();
  }

  /** Gives the terminal to another program. Keys that arrive until then are dropped. */
  async leaveTo<T>(use: () => T): Promise<T> {
    this.setFocus(null);
    // Half of a paste would be read as keys.
    await (this.terminal as ScreenTerminal).inputEnd?.();
    this.stop();
    try {
      return use();
    } finally {
      this.start();
    }
  }

  /** Leaves the terminal as it was found, unless that was done. */
  restore(): void {
    if (!this.#isOpen) return;
    this.stop();
  }

  override start(): void {
    this.#isOpen = true;
    super.start();
    if (this.#reportsFocus) this.terminal.write(FOCUS_ON);
    // A frame that was requested before the stop was dropped, and prevents that others are requested.
    this.renderNow();
  }

  /** The terminal reports when its window gets and loses the focus, as long as it is open. */
  reportFocus(): void {
    this.#reportsFocus = true;
    if (this.#isOpen) this.terminal.write(FOCUS_ON);
  }

  override stop(): void {
    this.#isOpen = false;
    clearTimeout(this.#resizing);
    this.#resizing = undefined;
    this.#size = '';
    super.stop();
  }

  /** Shows a component on the complete alternate screen until {@link closeFull}. It gets `rows` lines to render. */
  openFull(component: Component): void {
    if (!this.#isOpen) return;
    if (!this.#full) {
      // Behind the alternate screen, the terminal wraps only what is finished.
      this.terminal.write(`${this.#toTop()}${ERASE_BELOW}${ENTER_FULL}`);
      this.#restart();
    }
    this.#full = { component, rows: [], size: '', openedAt: this.#full?.openedAt ?? toSize(this.terminal) };
    this.requestRender();
  }

  closeFull(): void {
    if (!this.#full) return;
    this.#refreshSize();
    // The terminal restores the row of the cursor, which is another one after it has wrapped its rows again.
    const isMoved = this.#full.openedAt !== toSize(this.terminal);
    this.terminal.write(`${LEAVE_FULL}${isMoved ? TO_NEW_ROW : ''}`);
    this.#full = undefined;
    this.requestRender();
  }

  get isFull(): boolean {
    return this.#full !== undefined;
  }

  /** Erases the changing rows, so that the next frame draws all of them. */
  protected override resetRenderState(): void {
    if (this.#full) {
      this.#full.size = '';
      return;
    }
    if (this.#isOpen) this.terminal.write(`${this.#toTop()}${ERASE_BELOW}`);
    this.#restart();
  }

  #restart(): void {
    this.#forget();
    this.#column = 0;
  }

  /** Erases the changing rows: what remains is the conversation. */
  protected override beforeTerminalStop(): void {
    if (this.#reportsFocus) this.terminal.write(FOCUS_OFF);
    this.closeFull();
    const finished = toSafeLines(this.#finished.splice(0)).map((line) => `${ERASE_LINE}${line}\r\n`);
    this.terminal.write(`${this.#toTop()}${ERASE_BELOW}${finished.join('')}`);
    this.#restart();
  }

  protected override doRender(): void {
    if (this.stopped) return;
    this.#refreshSize();
    const width = Math.max(1, this.terminal.columns);
    const height = Math.max(1, this.terminal.rows);
    if (this.#isResizing()) return;
    if (this.#full) this.#drawFull(width, height);
    else this.#draw(width, height);
  }

  #refreshSize(): void {
    (this.terminal as ScreenTerminal).refreshSize?.();
  }

  /**
   * True until the window has kept its size for a moment; then a frame is drawn. While the window changes, the terminal
   * wraps its rows again at each size, and a frame for one size would reach it at the next one.
   */
  #isResizing(): boolean {
    const size = toSize(this.terminal);
    if (size !== this.#size && this.#size !== '' && this.#settleMs > 0) {
      clearTimeout(this.#resizing);
      this.#resizing = setTimeout(() => {
        this.#resizing = undefined;
        this.requestRender();
      }, this.#settleMs);
    }
    this.#size = size;
    return this.#resizing !== undefined;
  }

  #draw(width: number, height: number): void {
    this.#isDrawing = true;
    const all = toSafeLines(this.render(width), { hasCursor: true }).map((line) => toFit(line, width));
    this.#isDrawing = false;
    const lines = all.slice(-height);
    const cursor = this.extractCursorPosition(lines, height);
    const rows = this.applyLineResets(lines);
    let output = BEGIN;
    if (this.#width !== 0 && (this.#width !== width || this.#height !== height)) {
      output += `${this.#toTop()}${ERASE_BELOW}`;
      if (this.#stale > 0 && all.length < height) output += this.#toNewWindow(width, height - all.length);
      this.#forget();
    }
    this.#width = width;
    this.#height = height;
    if (this.#finished.length > 0) {
      output += `${toRow(this.#row, 0)}\r`;
      const finished = this.applyLineResets(toSafeLines(this.#finished.splice(0)).map((line) => toFit(line, width)));
      for (const line of finished) output += `${ERASE_LINE}${line}\r\n`;
      this.#recent = [...this.#recent, ...finished].slice(-MAX_RECENT);
      this.#stale -= finished.length;
      output += ERASE_BELOW;
      this.#forget();
    }
    const { text, row: last } = toChanges({ shown: this.#shown, rows, row: this.#row });
    const row = cursor?.row ?? Math.max(0, rows.length - 1);
    this.#column = cursor?.col ?? 0;
    output += `${CUT_ROWS}${text}${toRow(last, row)}\u001b[${this.#column + 1}G${END}`;
    this.terminal.write(output);
    this.#row = row;
    this.#shown = rows;
  }

  /** Rows of the last frame in a window of another width. */
  #countRows(width: number): number {
    return this.#shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleWidth(line) / width)), 0);
  }

  /**
   * A window without what the last frame left in the scrollback of a window that was too low for it: the terminal shows
   * that again when the window grows. The last finished lines are repeated.
   */
  #toNewWindow(width: number, rows: number): string {
    const lines = this.#recent.flatMap((line) => (isSixelRow(line) ? [] : wrapTextWithAnsi(line, width))).slice(-rows);
    const text = this.applyLineResets(lines).map((line) => `${line}\r\n`);
    return `${TO_NEW_ROW}${'\r\n'.repeat(this.terminal.rows - 1)}\u001b[H${text.join('')}`;
  }

  #forget(): void {
    this.#shown = [];
    this.#row = 0;
  }

  /** Moves the cursor to the top of the last frame, also after the terminal has changed its width. */
  #toTop(): string {
    this.#refreshSize();
    if (this.#countRows(Math.max(1, this.terminal.columns)) > this.terminal.rows) this.#stale = MAX_RECENT;
    return `${toRow(this.#rowsAbove(), 0)}\r`;
  }

  #rowsAbove(): number {
    const width = Math.max(1, this.terminal.columns);
    if (this.#reflows === 'none' || this.#width === 0 || this.#width === width) return this.#row;
    const added = this.#shown.map((line) => Math.max(1, Math.ceil(visibleWidth(line) / width)) - 1);
    if (this.#reflows === 'all')
      return added.slice(0, this.#row).reduce((sum, rows) => sum + rows, this.#row + Math.floor(this.#column / width));
    // From the last row to the first one: the cursor is in the row that has its number at that time.
    let row = this.#row;
    for (let index = added.length - 1; index >= 0; index--) if (index !== row) row += added[index]!;
    return row;
  }

  #drawFull(width: number, height: number): void {
    const full = this.#full!;
    const size = toSize(this.terminal);
    const shown = full.size === size ? full.rows : [];
    const lines = full.component.render(width).slice(0, height);
    while (lines.length < height) lines.push('');
    const rows = this.applyLineResets(toSafeLines(lines).map((line) => toFit(line, width)));
    let output = `${BEGIN}${CUT_ROWS}`;
    rows.forEach((line, index) => {
      if (line !== shown[index]) output += `\u001b[${index + 1};1H${ERASE_LINE}${line}`;
    });
    this.terminal.write(`${output}${END}`);
    full.rows = rows;
    full.size = size;
  }
}

function toSize({ columns, rows }: Terminal): string {
  return `${columns}x${rows}`;
}

function toFit(line: string, width: number): string {
  return !isSixelRow(line) && visibleWidth(line) > width ? truncateToWidth(line, width, '') : line;
}
