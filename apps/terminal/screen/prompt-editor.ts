import { Editor, type EditorOptions, type EditorTheme, type TUI } from '@earendil-works/pi-tui';
import { toInputText, toPastedText, toSafeInput } from './typed-text.ts';

/** A text as it was entered. A long paste is a mark in the text. */
export interface Entered {
  text: string;
  /** The pasted texts by their marks. */
  pastes: ReadonlyMap<string, string>;
}

/** Marks the rows that are borders of the library; it is never shown. */
const BORDER = '\u0000';

/** A line above or below the input. @param hidden Rows of the input beyond it. */
export type InputBorder = (width: number, side: 'top' | 'bottom', hidden: number) => string;
const MARK_WIDTH = 2;

/** Steps that can always be undone, and characters that all of them may have together. */
const MIN_UNDO = 20;
const MAX_UNDO_CHARACTERS = 10_000_000;

/** Private parts of the library; a test fails if a version changes them. */
interface HistoryFields {
  setTextInternal: (text: string, cursor?: 'start' | 'end') => void;
}

/** Private fields of the library; a test fails if a version changes them. */
interface PrivateFields {
  undoStack: { stack: unknown[] };
  pastes: ReadonlyMap<number, string>;
  state: { lines: string[]; cursorLine: number; cursorCol: number };
}

const PASTE_MARK = /\[paste #(\d+) (?:\+\d+ lines|\d+ chars)\]/g;

/** The editor of the library, which keeps long pastes apart and lets its owner see each key first. */
export class PromptEditor extends Editor {
  /** Called with each key first. True: the key was used. */
  onKey: ((data: string) => boolean) | undefined;
  /** Called with each pasted text first. True: it was used. */
  onPaste: ((text: string) => boolean) | undefined;
  onEnter: ((entered: Entered) => void) | undefined;
  /** Two columns before the first line. */
  mark = '› ';
  border: InputBorder = (width) => '─'.repeat(width);
  #entered: Entered = { text: '', pastes: new Map() };

  constructor(tui: TUI, theme: EditorTheme, options?: Omit<EditorOptions, 'paddingX'>) {
    super(tui, theme, { ...options, paddingX: MARK_WIDTH });
    // A recalled prompt is continued at its end.
    const fields = this as unknown as HistoryFields;
    const setText = fields.setTextInternal.bind(this);
    fields.setTextInternal = (text) => setText(text, 'end');
    // Enter at a list of commands completes the text first.
    this.onSubmit = (text) =>
      this.onEnter?.(this.#entered.pastes.size === 0 ? { ...this.#entered, text: text.trim() } : this.#entered);
  }

  override handleInput(data: string): void {
    const pasted = toPastedText(data);
    if (pasted !== undefined && this.onPaste?.(pasted)) return;
    if (pasted === undefined && this.onKey?.(data)) return;
    this.feed(data);
  }

  /** Gives keys to the editor, past {@link onKey}. */
  feed(data: string): void {
    // The editor forgets its pastes before it reports the text.
    if (data === '\r' || data === '\u001b[13u') this.#entered = this.entered();
    // The library inserts everything that does not begin as a key does.
    const input = toSafeInput(data);
    const known = this.#lastPaste();
    if (input !== '') super.handleInput(input);
    const paste = this.#lastPaste();
    if (paste !== undefined && paste !== known) this.#correctMark(paste);
    this.#limitUndo();
  }

  /** Number of the last paste. */
  #lastPaste(): number | undefined {
    return [...(this as unknown as PrivateFields).pastes.keys()].at(-1);
  }

  /** For the library, a line begins after the line feed at the end of a paste. */
  #correctMark(paste: number): void {
    const { pastes, state } = this as unknown as PrivateFields;
    const text = pastes.get(paste)!;
    if (!text.endsWith('\n')) return;
    const lines = text.split('\n').length;
    const [counted, right] = [lines, lines - 1].map((count) => `[paste #${paste} +${count} lines]`) as [string, string];
    const line = state.lines[state.cursorLine]!;
    if (!line.includes(counted)) return;
    state.lines[state.cursorLine] = line.replace(counted, right);
    state.cursorCol -= counted.length - right.length;
  }

  /** The library keeps a copy of the text and of all pastes for each step, without a limit. */
  #limitUndo(): void {
    const { undoStack, pastes } = this as unknown as PrivateFields;
    const { stack } = undoStack;
    if (stack.length <= MIN_UNDO) return;
    const size = [...pastes.values()].reduce((sum, paste) => sum + paste.length, this.getText().length);
    const steps = Math.max(MIN_UNDO, Math.floor(MAX_UNDO_CHARACTERS / (size + 1)));
    if (stack.length > steps) stack.splice(0, stack.length - steps);
  }

  // Texts of other clients and of files are shown as they are: what would act on the terminal is left out.
  override setText(text: string): void {
    super.setText(toInputText(text));
  }

  override insertTextAtCursor(text: string): void {
    super.insertTextAtCursor(toInputText(text));
  }

  override addToHistory(text: string): void {
    super.addToHistory(toInputText(text));
  }

  /** The text and its pastes. The library keeps them in a private field; a test fails if a version changes that. */
  entered(): Entered {
    const { pastes } = this as unknown as { pastes: ReadonlyMap<number, string> };
    const text = this.getText();
    const found = [...text.matchAll(PASTE_MARK)].flatMap(([mark, id]) => {
      const paste = pastes.get(Number(id));
      return paste === undefined ? [] : [[mark, paste] as const];
    });
    return { text: text.trim(), pastes: new Map(found) };
  }

  /** The input with a mark at its left, between its borders. Completions are below it. */
  override render(width: number): string[] {
    const [top = '', ...rest] = super.render(width);
    const bottom = rest.findIndex((line) => line.startsWith(BORDER));
    const input = rest.slice(0, bottom).map((line, index) => (index === 0 ? this.mark + line.slice(MARK_WIDTH) : line));
    const rows = [top.slice(BORDER.length), ...input, rest[bottom]!.slice(BORDER.length), ...rest.slice(bottom + 1)];
    return rows.map((line) => line.trimEnd());
  }

  protected override renderTopBorder(width: number, hidden: number): string {
    return BORDER + this.border(width, 'top', hidden);
  }

  protected override renderBottomBorder(width: number, hidden: number): string {
    return BORDER + this.border(width, 'bottom', hidden);
  }
}
