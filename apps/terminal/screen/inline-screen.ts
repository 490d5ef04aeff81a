import { type Component, type Terminal, TuiMainScreen, visibleWidth } from '@earendil-works/pi-tui';
import { ERASE_BELOW, ERASE_LINE, toChanges, toFit, toFullChanges, toRow, toSize } from './frame-changes.ts';
import { type Growing, limitGrowing } from './growing-rows.ts';
import type { CellSize } from './queried-terminal.ts';
import { countRows, type Reflow, reflowRows, type ShownRows, toShownRows } from './reflow.ts';
import { toSafeLines } from './safe-line.ts';

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
  /** The rows of the last frame, and the row in which the cursor is. */
  #shown: readonly string[] = [];
  #row = 0;
  /** The same rows as the terminal has wrapped them since. */
  #wrapped: ShownRows = toShownRows([], 0, { row: 0, column: 0 });
  /** The growing rows of the last frame; undefined if none of its text was unfinished. */
  #growing: Growing | undefined;
  /** Rows that the window has above the frame at least. */
  #above = 0;
  /** True if a window was too low for the changing rows, so that its scrollback has some of them. */
  #isStale = false;
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

  /** Called while a frame is rendered: which of its rows are text that is not finished. */
  setGrowing(growing: Growing): void {
    this.#growing = growing;
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
      this.#forget();
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
    this.#forget();
  }

  /** Erases the changing rows: what remains is the conversation. */
  protected override beforeTerminalStop(): void {
    if (this.#reportsFocus) this.terminal.write(FOCUS_OFF);
    this.closeFull();
    const finished = toSafeLines(this.#finished.splice(0)).map((line) => `${ERASE_LINE}${line}\r\n`);
    this.terminal.write(`${this.#toTop()}${ERASE_BELOW}${finished.join('')}`);
    this.#forget();
    // Another program can clear the window.
    this.#above = 0;
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

  /** Called for each size of the window that is known, also if no frame is drawn for it. */
  noteSize(): void {
    const width = Math.max(1, this.terminal.columns);
    if (this.#width !== 0) this.#wrapped = reflowRows(this.#wrapped, width, this.#reflows);
  }

  override requestRender(force = false): void {
    if (this.#isOpen) this.noteSize();
    super.requestRender(force);
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
    let output = BEGIN;
    const isResized = this.#width !== 0 && (this.#width !== width || this.#height !== height);
    if (isResized) output += `${this.#toTop({ keepsGrowing: true })}${ERASE_BELOW}`;
    this.#growing = undefined;
    this.#isDrawing = true;
    const rendered = toSafeLines(this.render(width), { hasCursor: true }).map((line) => toFit(line, width));
    this.#isDrawing = false;
    if (isResized) {
      if (this.#isStale && rendered.length < height) output += this.#toNewWindow();
      this.#forget();
    }
    this.#width = width;
    this.#height = height;
    const finished = this.applyLineResets(toSafeLines(this.#finished.splice(0)).map((line) => toFit(line, width)));
    if (finished.length > 0) {
      // A line can be longer than a window whose new size is not known.
      output += `${toRow(this.#row, 0)}\r${ERASE_BELOW}${finished.map((line) => `${line}\r\n`).join('')}`;
      this.#forget();
    }
    this.#above = Math.min(this.#above + finished.length, Math.max(0, height - rendered.length));
    const limited = limitGrowing(rendered, this.#growing, { reflows: this.#reflows, above: this.#above, height });
    this.#growing = limited.growing;
    const lines = limited.lines.slice(-height);
    const cursor = this.extractCursorPosition(lines, height);
    const rows = this.applyLineResets(lines);
    const { text, row: last } = toChanges({ shown: this.#shown, rows, row: this.#row });
    const [row, column] = this.#toRest(cursor, rows.length);
    output += `${CUT_ROWS}${text}${toRow(last, row)}\u001b[${column + 1}G${END}`;
    this.terminal.write(output);
    this.#row = row;
    this.#shown = rows;
    this.#wrapped = toShownRows(rows.map(visibleWidth), width, { row, column });
  }

  /**
   * Where the cursor is between two frames. While a text grows, it is at the beginning of the frame: a terminal that
   * wraps all rows leaves it there, so that also a frame that arrives in a window of another size begins in its place.
   * xterm.js moves a cursor that has rows below it. The cursor that a user sees is a part of the frame.
   */
  #toRest(cursor: { row: number; col: number } | null, rows: number): [row: number, column: number] {
    const last = Math.max(0, rows - 1);
    if (this.#growing) return [this.#reflows === 'others' ? last : 0, 0];
    return [cursor?.row ?? last, cursor?.col ?? 0];
  }

  /**
   * A window without what the last frame left in the scrollback of a window that was too low for it: the terminal shows
   * that again when the window grows. No finished line is repeated.
   */
  #toNewWindow(): string {
    this.#isStale = false;
    this.#above = this.terminal.rows;
    return `${TO_NEW_ROW}${'\r\n'.repeat(this.terminal.rows - 1)}`;
  }

  #forget(): void {
    this.#shown = [];
    this.#row = 0;
    this.#wrapped = toShownRows([], this.#wrapped.width, { row: 0, column: 0 });
  }

  /**
   * Moves the cursor to the top of the last frame, also after the terminal has changed its width.
   *
   * @param options.keepsGrowing True: below the growing rows, if some of them may have left the screen. They count as
   * finished then.
   */
  #toTop({ keepsGrowing = false } = {}): string {
    this.#refreshSize();
    this.noteSize();
    const { rows } = this.terminal;
    const count = countRows(this.#wrapped);
    const top = keepsGrowing && count > Math.min(rows, this.#above + this.#shown.length) ? this.#leaveGrowing() : 0;
    // Rows below the cursor are not moved away by a lower window.
    if (count > (this.#row === 0 ? Math.max(rows, this.#height) : rows)) this.#isStale = true;
    // What is wrapped below the top moves rows above it away.
    this.#above = Math.max(0, Math.min(this.#above - count + this.#shown.length, rows - 1 - this.#wrapped.cursor));
    return `${toRow(this.#wrapped.cursor, top)}\r`;
  }

  /** @returns The row below the growing rows; 0 if they cannot be left as they are. */
  #leaveGrowing(): number {
    const { from, rows, leave } = this.#growing ?? { from: 0, rows: 0 };
    if (this.#reflows !== 'others' || rows === 0 || !leave) return 0;
    leave();
    return this.#wrapped.rows.slice(0, from + rows).reduce((sum, { count }) => sum + count, 0);
  }

  #drawFull(width: number, height: number): void {
    const full = this.#full!;
    const size = toSize(this.terminal);
    const shown = full.size === size ? full.rows : [];
    const lines = full.component.render(width).slice(0, height);
    while (lines.length < height) lines.push('');
    const rows = this.applyLineResets(toSafeLines(lines).map((line) => toFit(line, width)));
    this.terminal.write(`${BEGIN}${CUT_ROWS}${toFullChanges(shown, rows)}${END}`);
    full.rows = rows;
    full.size = size;
  }
}
