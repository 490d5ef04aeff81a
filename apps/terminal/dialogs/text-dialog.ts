import { Input, matchesKey } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import type { Dialog } from './dialog.ts';
import { FRAME_WIDTH, toFrame } from './frame.ts';

/** One line of text. */
export class TextDialog implements Dialog {
  readonly #input = new Input();
  readonly #options: { title: string; palette: Palette; onCancel: () => void; isBurst: () => boolean };

  constructor(options: {
    title: string;
    palette: Palette;
    text?: string;
    onEnter: (text: string) => void;
    onCancel: () => void;
    /** True for keys that have arrived together: an Enter among them sends nothing. */
    isBurst: () => boolean;
  }) {
    this.#options = options;
    this.#input.setValue(options.text ?? '');
    this.#input.onSubmit = options.onEnter;
  }

  get focused(): boolean {
    return this.#input.focused;
  }

  set focused(isFocused: boolean) {
    this.#input.focused = isFocused;
  }

  invalidate(): void {
    this.#input.invalidate();
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) return this.#options.onCancel();
    if (matchesKey(data, 'enter') && this.#options.isBurst()) return;
    return this.#input.handleInput(data);
  }

  render(width: number): string[] {
    const { title, palette } = this.#options;
    return toFrame(this.#input.render(Math.max(1, width - FRAME_WIDTH)), {
      ...{ width, palette, paint: palette.accent, title: palette.strong(title) },
      keys: [
        [
          ['Enter', 'continues'],
          ['Esc', 'cancels'],
        ],
      ],
    });
  }
}
