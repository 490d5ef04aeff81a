import type { AnswerOptions } from '@klaus/sdk';
import type { Reply } from '@klaus/sdk/client';
import { Markdown, matchesKey } from '../screen/index.ts';
import { toEnds, toSafe } from '../view/wrap.ts';
import type { ViewStyle } from '../view/view-style.ts';
import type { Dialog, DialogHost } from './dialog.ts';
import { toKeyRows, toRule } from './key-rows.ts';
import { TextDialog } from './text-dialog.ts';

export interface PlanOptions {
  plan: string;
  style: ViewStyle;
  host: DialogHost;
  edit: (text: string, name: string) => Promise<string | undefined>;
  onAnswer: (reply: Reply, options: Omit<AnswerOptions, 'by'>) => void;
  onLater: () => void;
  onView: (plan: string) => void;
}

/** A plan that the user can edit, and accepts with the mode in which the work continues. */
export class PlanDialog implements Dialog {
  focused = false;
  readonly #options: PlanOptions;
  #plan: string;

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#plan = options.plan;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { onLater, onView } = this.#options;
    if (matchesKey(data, 'escape') || matchesKey(data, 'q')) return onLater();
    if (matchesKey(data, 'y')) return this.#accept('edits');
    if (matchesKey(data, 'a')) return this.#accept('auto');
    if (matchesKey(data, 'k')) return this.#accept('ask');
    if (matchesKey(data, 'v')) return onView(this.#plan);
    if (matchesKey(data, 'e')) return void this.#edit();
    if (matchesKey(data, 'n')) this.#reject();
  }

  render(width: number): string[] {
    const { style, host } = this.#options;
    const { palette, markdown } = style;
    const lines = new Markdown(toSafe(this.#plan).trim(), 0, 0, markdown).render(Math.max(1, width - 2));
    const { head, hidden } = toEnds(lines, { head: Math.max(4, host.rows - 12), tail: 0 });
    const isEdited = this.#plan !== this.#options.plan;
    return [
      palette.warn(toRule(width)),
      palette.strong(`Plan${isEdited ? ', edited' : ''}`),
      ...head.map((line) => `  ${line}`.trimEnd()),
      ...(hidden > 0 ? [palette.muted(`  … ${hidden} more lines, v shows them`)] : []),
      ...toKeyRows(
        [
          ['y', 'accept, edits need no approval'],
          ['k', 'accept, ask before each change'],
          ['a', 'accept, mode auto'],
          ['e', 'edit'],
          ['n', 'reject'],
          ['v', 'view all'],
          ['q', 'later'],
        ],
        width,
        palette,
      ),
    ];
  }

  #accept(mode: NonNullable<AnswerOptions['mode']>): void {
    const { plan, onAnswer } = this.#options;
    onAnswer('approved', { mode, ...(this.#plan === plan ? {} : { plan: this.#plan }) });
  }

  async #edit(): Promise<void> {
    const text = await this.#options.edit(this.#plan, 'plan.md');
    if (text !== undefined && text.trim() !== '') this.#plan = text;
    this.#options.host.requestRender();
  }

  #reject(): void {
    const { host, style, onAnswer } = this.#options;
    host.open(
      new TextDialog({
        title: 'Reject. What should change in the plan? (Enter alone gives no reason)',
        palette: style.palette,
        onEnter: (text) => onAnswer('rejected', text.trim() === '' ? {} : { note: text.trim() }),
        onCancel: () => host.open(this),
      }),
    );
  }
}
