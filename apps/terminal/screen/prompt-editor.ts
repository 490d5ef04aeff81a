import { Editor, type EditorOptions, type EditorTheme, type TUI } from '@earendil-works/pi-tui';

/** A text as it was entered. A long paste is a mark in the text. */
export interface Entered {
  text: string;
  /** The pasted texts by their marks. */
  pastes: ReadonlyMap<string, string>;
}

const PASTE_MARK = /\[paste #(\d+) (?:\+\d+ lines|\d+ chars)\]/g;

/** The editor of the library, which keeps long pastes apart and lets its owner see each key first. */
export class PromptEditor extends Editor {
  /** Called with each key first. True: the key was used. */
  onKey: ((data: string) => boolean) | undefined;
  onEnter: ((entered: Entered) => void) | undefined;
  /** A text at the left end of the line above the input. */
  label = '';
  #entered: Entered = { text: '', pastes: new Map() };

  constructor(tui: TUI, theme: EditorTheme, options?: EditorOptions) {
    super(tui, theme, options);
    this.onSubmit = () => this.onEnter?.(this.#entered);
  }

  override handleInput(data: string): void {
    if (!data.includes('\u001b[200~') && this.onKey?.(data)) return;
    // The editor forgets its pastes before it reports the text.
    if (data === '\r' || data === '\u001b[13u') this.#entered = this.entered();
    super.handleInput(data);
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

  protected override renderTopBorder(width: number, hidden: number): string {
    const border = super.renderTopBorder(width, hidden);
    return this.label === '' || hidden > 0 ? border : this.#withLabel(width);
  }

  #withLabel(width: number): string {
    const start = `── ${this.label} `;
    return this.borderColor(start.length >= width ? '─'.repeat(width) : start + '─'.repeat(width - start.length));
  }
}
