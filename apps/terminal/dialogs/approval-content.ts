import type { AnswerOptions } from '@klaus/sdk';
import { ANSWER_KEYS, hunksOf } from '@klaus/sdk/conversation';
import type { Reply } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import type { ViewStyle } from '../view/view-style.ts';
import type { DialogHost } from './dialog.ts';
import { HunkDialog } from './hunk-dialog.ts';
import type { Answer, QuestionContent, ShownQuestion } from './question-panel.ts';
import { canRemember, toQuestionRows, toRisk, type Question } from './question-lines.ts';
import { TextDialog } from './text-dialog.ts';

/** What the content of every kind of question gets. */
export interface ContentOptions {
  host: DialogHost;
  style: ViewStyle;
  /** Opens the user's editor with a text. Undefined: it was not changed. */
  edit: (text: string, name: string) => Promise<string | undefined>;
  onAnswer: (reply: Reply, options: Omit<AnswerOptions, 'by' | 'raise'>) => void;
  /** The question stays open. */
  onLater: () => void;
}

export interface ApprovalOptions extends ContentOptions {
  question: Question;
  /** Number of questions that are open, with this one. */
  open: () => number;
  /** Shows everything that is asked. */
  onView: () => void;
}

/** A question about a call, its changes or a limit. */
export class ApprovalContent implements QuestionContent {
  readonly #options: ApprovalOptions;

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  answers(): readonly Answer[] {
    const { question, onAnswer, onLater, onView } = this.#options;
    const later: Answer = { key: ANSWER_KEYS.later, label: 'later', run: onLater };
    const approve = (): void => onAnswer('approved', {});
    if (question.subject.kind === 'limit')
      return [
        { key: ANSWER_KEYS.approve, label: 'continue', run: approve },
        { key: ANSWER_KEYS.reject, label: 'stop', run: () => onAnswer('rejected', {}) },
        later,
      ];
    const scopes = (['session', 'project'] as const).map((scope) => ({
      key: ANSWER_KEYS[scope],
      label: `allow the same in this ${scope}`,
      short: scope,
      run: () => onAnswer('approved', { scope }),
      isLasting: true,
    }));
    return [
      { key: ANSWER_KEYS.approve, label: 'approve', short: 'yes', run: approve },
      { key: ANSWER_KEYS.reject, label: 'reject', short: 'no', run: () => reject(this.#options, REASON) },
      ...(hunksOf(question).length > 0
        ? [{ key: ANSWER_KEYS.review, label: 'by hunk', short: 'hunks', run: () => this.#review() }]
        : []),
      ...(canRemember(question) ? scopes : []),
      { key: ANSWER_KEYS.view, label: 'view all', short: 'view', run: onView },
      later,
    ];
  }

  render(width: number): ShownQuestion {
    const { question, style, open, host } = this.#options;
    const max = Math.max(3, Math.floor(host.rows / 2) - 4);
    const count = open();
    const rows = toQuestionRows(question, width, { style, max });
    return {
      title: toLine(question.title, MAX_TITLE),
      risk: toRisk(question),
      rows: count > 1 ? [...rows, style.palette.muted(`${count} questions are open`)] : rows,
    };
  }

  #review(): void {
    const { question, host, style, edit, onAnswer } = this.#options;
    host.open(
      new HunkDialog({
        hunks: hunksOf(question),
        style,
        host,
        edit,
        onAnswer: (hunks, note) => onAnswer('approved', { hunks, ...(note === '' ? {} : { note }) }),
        onCancel: () => host.close(),
      }),
    );
  }
}

/** Characters of a title: all of a command are in its rows. */
const MAX_TITLE = 10_000;

const REASON = 'Reject. What should it do instead? (Enter alone gives no reason)';

/** Rejects, with a reason that the user may enter. */
export function reject({ host, style, onAnswer }: ContentOptions, title: string): void {
  host.open(
    new TextDialog({
      title,
      palette: style.palette,
      isBurst: () => host.isBurst,
      onEnter: (text) => onAnswer('rejected', text.trim() === '' ? {} : { note: text.trim() }),
      onCancel: () => host.close(),
    }),
  );
}
