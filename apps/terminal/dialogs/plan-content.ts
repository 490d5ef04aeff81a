import type { AnswerOptions } from '@klaus/sdk';
import { ANSWER_KEYS } from '@klaus/sdk/conversation';
import { renderMarkdown } from '../screen/index.ts';
import { toEnds, toSafe } from '../view/wrap.ts';
import { reject, type ContentOptions } from './approval-content.ts';
import type { Answer, QuestionContent, ShownQuestion } from './question-panel.ts';

export interface PlanOptions extends ContentOptions {
  plan: string;
  onView: (plan: string) => void;
}

/** A plan that the user can edit, and accepts with the mode in which the work continues. */
export class PlanContent implements QuestionContent {
  readonly #options: PlanOptions;
  #plan: string;

  constructor(options: PlanOptions) {
    this.#options = options;
    this.#plan = options.plan;
  }

  answers(): readonly Answer[] {
    const { onLater, onView } = this.#options;
    return [
      {
        key: ANSWER_KEYS.approve,
        label: 'accept, edits need no approval',
        short: 'accept (edits)',
        run: () => this.#accept('edits'),
      },
      { key: 'k', label: 'accept, ask before each change', short: 'accept (ask)', run: () => this.#accept('ask') },
      {
        key: 'a',
        label: 'accept, mode auto',
        short: 'accept (auto)',
        run: () => this.#accept('auto'),
        isLasting: true,
      },
      { key: ANSWER_KEYS.edit, label: 'edit', run: () => void this.#edit() },
      { key: ANSWER_KEYS.reject, label: 'reject', run: () => reject(this.#options, REASON) },
      { key: ANSWER_KEYS.view, label: 'view all', run: () => onView(this.#plan) },
      { key: ANSWER_KEYS.later, label: 'later', run: onLater },
    ];
  }

  render(width: number): ShownQuestion {
    const { style, host } = this.#options;
    const { palette, markdown } = style;
    const lines = renderMarkdown(toSafe(this.#plan).trim(), width, markdown);
    const { head, hidden } = toEnds(lines, { head: Math.max(4, host.rows - 14), tail: 0 });
    const isEdited = this.#plan !== this.#options.plan;
    return {
      title: `Plan${isEdited ? ', edited' : ''}`,
      risk: '',
      rows: hidden > 0 ? [...head, palette.muted(`… ${hidden} more lines, v shows them`)] : head,
    };
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
}

const REASON = 'Reject. What should change in the plan? (Enter alone gives no reason)';
