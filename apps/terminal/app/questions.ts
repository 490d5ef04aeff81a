import type { AnswerOptions } from '@klaus/sdk';
import type { Reply } from '@klaus/sdk/client';
import { ANSWER_KEYS, diffOf } from '@klaus/sdk/conversation';
import { ApprovalContent, type ContentOptions } from '../dialogs/approval-content.ts';
import { InputContent } from '../dialogs/input-content.ts';
import { PlanContent } from '../dialogs/plan-content.ts';
import type { Question } from '../dialogs/question-lines.ts';
import { QuestionPanel, type QuestionContent } from '../dialogs/question-panel.ts';
import { matchesKey } from '../screen/index.ts';
import { createDialogHost } from './dialog-host.ts';
import { openMarkdownView, openQuestionView } from './full-views.ts';
import type { App } from './app.ts';

/** Keys that answer the shown question without its focus. */
const DIRECT = [ANSWER_KEYS.approve, ANSWER_KEYS.reject] as const;

/**
 * Shows the oldest open question above the input, as long as the user has not postponed it. It gets the keys only when the
 * user focuses it, and loses them when another question is shown.
 */
export class Questions {
  readonly #app: App;
  readonly #later = new Set<string>();
  #shown: { approval: string; panel: QuestionPanel } | undefined;
  #isFocused = false;
  /** True while a dialog of the question has the place of the input. */
  #hasDialog = false;

  constructor(app: App) {
    this.#app = app;
  }

  get panel(): QuestionPanel | undefined {
    return this.#shown?.panel;
  }

  /** True for the question that is shown. */
  isShown(approval: string): boolean {
    return this.#shown?.approval === approval;
  }

  get focused(): QuestionPanel | undefined {
    return this.#isFocused ? this.panel : undefined;
  }

  /** All open questions, those of child sessions too. */
  list(): readonly Question[] {
    const { conversation, drive } = this.#app.link.view;
    const all = new Map(conversation.approvals);
    if (drive?.state === 'parked') for (const question of drive.approvals) all.set(question.approval, question);
    return [...all.values()];
  }

  /** Shows postponed questions again. */
  recall(): void {
    this.#later.clear();
    this.update();
  }

  /** Shows postponed questions again, and gives the keys to the first one. */
  focus(): void {
    this.recall();
    if (this.#shown) this.#setFocus(true);
  }

  /** Shows the next question, and removes one that another client has answered. */
  update(): void {
    if (!this.#app.isReady) return;
    const open = this.list().filter(({ approval }) => !this.#later.has(approval));
    if (this.#shown && open.some(({ approval }) => approval === this.#shown?.approval)) return;
    const [next] = open;
    if (!this.#shown && !next) return;
    const hadDialog = this.#hasDialog;
    this.#shown = next && { approval: next.approval, panel: this.#createPanel(next) };
    this.#setFocus(false);
    if (hadDialog) this.#app.closeDialog();
  }

  handleKey(data: string): boolean {
    const { screen, composer } = this.#app;
    const { panel } = this;
    if (!panel || screen.isBurst) return false;
    if (matchesKey(data, 'tab') && !composer.isShowingAutocomplete()) this.#setFocus(true);
    else if (matchesKey(data, 'up') && composer.getText() === '') this.#setFocus(true);
    else {
      const key = DIRECT.find((letter) => matchesKey(data, `alt+${letter}`));
      const answer = key && panel.find(key);
      if (!answer) return false;
      this.#setFocus(true);
      answer.run();
    }
    return true;
  }

  #setFocus(isFocused: boolean): void {
    this.#isFocused = isFocused;
    this.#hasDialog = false;
    this.#app.focusInput();
    this.#app.screen.requestRender();
  }

  #createPanel(question: Question): QuestionPanel {
    const app = this.#app;
    return new QuestionPanel({
      content: this.#createContent(question),
      palette: app.style.palette,
      isBurst: () => app.screen.isBurst,
      onLeave: () => this.#setFocus(false),
    });
  }

  #createContent(question: Question): QuestionContent {
    const app = this.#app;
    const { subject, approval } = question;
    const close = (): void => {
      this.#later.add(approval);
      if (this.#hasDialog) app.closeDialog();
      this.update();
    };
    const shared: ContentOptions = {
      host: createDialogHost(app, {
        open: (dialog) => {
          this.#hasDialog = true;
          app.openDialog(dialog);
        },
        close: () => {
          this.#hasDialog = false;
          app.closeDialog();
        },
      }),
      style: app.style,
      edit: (text: string, name: string) => app.lent.edit(text, name),
      onAnswer: (reply: Reply, options: Omit<AnswerOptions, 'by' | 'raise'>): void => {
        // Until the answer is in the log, the question is not shown again.
        close();
        app.do(async () => {
          const isFirst = await app.link.answer(approval, reply, options);
          if (!isFirst) app.note('Another client has answered this question.');
        });
      },
      onLater: (): void => {
        close();
        app.note('The question stays open: Alt-A shows it again, and `klaus approve` and the page can answer it.');
      },
    };
    if (subject.kind === 'plan') {
      const onView = (plan: string): void => openMarkdownView(app, 'Plan', plan);
      return new PlanContent({ ...shared, plan: subject.plan, onView });
    }
    if (subject.kind === 'input') return new InputContent({ ...shared, question: subject });
    // The colours of a diff appear when the grammars are loaded.
    if (diffOf(question) !== undefined) void app.style.highlighter.load().then(() => app.screen.requestRender());
    const onView = (): void => openQuestionView(app, question);
    return new ApprovalContent({ ...shared, question, open: () => this.list().length, onView });
  }
}
