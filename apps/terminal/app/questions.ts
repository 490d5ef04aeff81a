import type { AnswerOptions } from '@klaus/sdk';
import type { Reply } from '@klaus/sdk/client';
import { ApprovalDialog } from '../dialogs/approval-dialog.ts';
import { InputDialog } from '../dialogs/input-dialog.ts';
import { PlanDialog } from '../dialogs/plan-dialog.ts';
import type { Question } from '../dialogs/question-lines.ts';
import { openMarkdownView, openQuestionView } from './full-views.ts';
import type { App } from './app.ts';

/** Shows the oldest open question, as long as the user has not postponed it. */
export class Questions {
  readonly #app: App;
  readonly #later = new Set<string>();
  #shown: string | undefined;

  constructor(app: App) {
    this.#app = app;
  }

  get isShown(): boolean {
    return this.#shown !== undefined;
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

  /** Opens the dialog for a new question, and closes it when another client has answered. */
  update(): void {
    const open = this.list();
    if (this.#shown !== undefined) {
      if (open.some(({ approval }) => approval === this.#shown)) return;
      this.#shown = undefined;
      this.#app.closeDialog();
    }
    const next = open.find(({ approval }) => !this.#later.has(approval));
    if (next && !this.#app.isDialogOpen) this.#open(next, open.length);
  }

  #open(question: Question, open: number): void {
    const app = this.#app;
    this.#shown = question.approval;
    const close = (): void => {
      this.#shown = undefined;
      app.closeDialog();
    };
    const shared = {
      host: app.host,
      edit: (text: string, name: string) => app.edit(text, name),
      onAnswer: (reply: Reply, options: Omit<AnswerOptions, 'by'>): void => {
        // Until the answer is in the log, the question is not shown again.
        this.#later.add(question.approval);
        close();
        app.do(async () => {
          const isFirst = await app.link.answer(question.approval, reply, options);
          if (!isFirst) app.note('Another client has answered this question.');
        });
      },
      onLater: (): void => {
        this.#later.add(question.approval);
        close();
        app.note('The question stays open: Alt-A shows it again, and `klaus approve` and the page can answer it.');
      },
    };
    const { subject } = question;
    if (subject.kind === 'plan') {
      const onView = (plan: string): void => openMarkdownView(app, 'Plan', plan);
      return app.openDialog(new PlanDialog({ ...shared, plan: subject.plan, style: app.style, onView }));
    }
    if (subject.kind === 'input')
      return app.openDialog(new InputDialog({ ...shared, question: subject, palette: app.style.palette }));
    const onView = (): void => openQuestionView(app, question);
    return app.openDialog(new ApprovalDialog({ ...shared, question, open, palette: app.style.palette, onView }));
  }
}
