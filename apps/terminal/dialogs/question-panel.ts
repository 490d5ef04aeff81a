import { matchesKey, type KeyId } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import type { Dialog } from './dialog.ts';
import { FRAME_WIDTH, toFrame } from './frame.ts';

/** One answer of a question, or another thing that a key does with it. */
export interface Answer {
  key: KeyId;
  label: string;
  /** Used where the labels of all answers need more than one row. Default: the label. */
  short?: string;
  run: () => void;
  /** True: it also answers later questions, and needs Enter. */
  isLasting?: boolean;
}

/** A question as it is shown. */
export interface ShownQuestion {
  /** What is asked, in one line. */
  title: string;
  /** What the answer risks, or is about. */
  risk: string;
  /** Everything else that is needed to decide. */
  rows: readonly string[];
}

/** What one kind of question shows and how it is answered. */
export interface QuestionContent {
  /** @param width Columns of the rows. */
  render(width: number): ShownQuestion;
  answers(): readonly Answer[];
}

export interface PanelOptions {
  content: QuestionContent;
  palette: Palette;
  /** True for keys that have arrived together. */
  isBurst: () => boolean;
  /** The keys go to the input again. */
  onLeave: () => void;
}

/**
 * A question above the input. The input keeps the keys until the user focuses the question, so that what is typed or
 * pasted is a part of the draft and never an answer.
 */
export class QuestionPanel implements Dialog {
  readonly #options: PanelOptions;
  #isFocused = false;
  /** An answer that waits for Enter. */
  #chosen: Answer | undefined;

  constructor(options: PanelOptions) {
    this.#options = options;
  }

  get focused(): boolean {
    return this.#isFocused;
  }

  set focused(isFocused: boolean) {
    this.#isFocused = isFocused;
    this.#chosen = undefined;
  }

  invalidate(): void {}

  /** What a key does without Enter; undefined if it answers nothing. */
  find(key: KeyId): Answer | undefined {
    return this.#options.content.answers().find((answer) => answer.key === key);
  }

  handleInput(data: string): void {
    const { content, isBurst, onLeave } = this.#options;
    if (isBurst()) return;
    const chosen = this.#chosen;
    this.#chosen = undefined;
    if (matchesKey(data, 'enter')) return chosen?.run();
    if (matchesKey(data, 'escape') && chosen) return;
    if (LEAVING.some((key) => matchesKey(data, key))) return onLeave();
    const answer = content.answers().find(({ key }) => matchesKey(data, key));
    if (answer?.isLasting === true) this.#chosen = answer;
    else answer?.run();
  }

  render(width: number): string[] {
    const { content, palette } = this.#options;
    const { title, risk, rows } = content.render(Math.max(1, width - FRAME_WIDTH));
    return toFrame(rows, {
      ...{ width, palette, paint: palette.warn },
      title: `${palette.warn('?')} ${palette.strong(title)}`,
      end: palette.warn(risk),
      keys: [this.#keys(({ label }) => label), this.#keys(({ label, short = label }) => short)],
    });
  }

  #keys(toLabel: (answer: Answer) => string): (readonly [key: string, text: string])[] {
    const answers = this.#options.content.answers();
    if (!this.focused) {
      const direct = answers.filter(({ key }) => key === 'y' || key === 'n');
      return [['Tab', 'answers'], ...direct.map(({ key, label }) => [`Alt-${key.toUpperCase()}`, label] as const)];
    }
    if (this.#chosen)
      return [
        ['Enter', this.#chosen.label],
        ['Esc', 'back'],
      ];
    return [...answers.map((answer) => [answer.key, toLabel(answer)] as const), ['Esc', 'input']];
  }
}

/** Keys that return to the input. */
const LEAVING: readonly KeyId[] = ['escape', 'tab', 'down', 'ctrl+c'];
