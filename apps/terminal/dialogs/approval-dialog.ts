import type { AnswerOptions } from '@klaus/sdk';
import { hunksOf } from '@klaus/sdk/conversation';
import type { Reply } from '@klaus/sdk/client';
import { matchesKey } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import type { Dialog, DialogHost } from './dialog.ts';
import { toKeyRows, toRule } from './key-rows.ts';
import { HunkDialog } from './hunk-dialog.ts';
import { canRemember, toQuestionLines, type Question } from './question-lines.ts';
import { TextDialog } from './text-dialog.ts';

export interface ApprovalOptions {
  question: Question;
  /** Number of questions that are open, with this one. */
  open: number;
  palette: Palette;
  host: DialogHost;
  /** Opens the user's editor with a text. Undefined: it was not changed. */
  edit: (text: string, name: string) => Promise<string | undefined>;
  onAnswer: (reply: Reply, options: Omit<AnswerOptions, 'by'>) => void;
  /** The question stays open. */
  onLater: () => void;
  /** Shows everything that is asked. */
  onView: () => void;
}

/** A question about a call, its changes or a limit, answered with one key. */
export class ApprovalDialog implements Dialog {
  focused = false;
  readonly #options: ApprovalOptions;

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { question, onAnswer, onLater, onView } = this.#options;
    if (matchesKey(data, 'escape') || matchesKey(data, 'q')) return onLater();
    if (matchesKey(data, 'y')) return onAnswer('approved', {});
    if (matchesKey(data, 'n')) return this.#reject();
    if (matchesKey(data, 'v') && question.subject.kind !== 'limit') return onView();
    if (matchesKey(data, 'h') && hunksOf(question).length > 0) return this.#review();
    if (!canRemember(question)) return;
    if (matchesKey(data, 's')) return onAnswer('approved', { scope: 'session' });
    if (matchesKey(data, 'p')) return onAnswer('approved', { scope: 'project' });
  }

  render(width: number): string[] {
    const { question, palette, open, host } = this.#options;
    const max = Math.max(3, Math.floor(host.rows / 2) - 4);
    const count = open > 1 ? palette.muted(`  ${open} questions are open`) : undefined;
    return [
      palette.warn(toRule(width)),
      ...toQuestionLines(question, width, { palette, max }),
      ...(count === undefined ? [] : [count]),
      ...this.#toKeys(width),
    ];
  }

  #toKeys(width: number): string[] {
    const { question, palette } = this.#options;
    const isLimit = question.subject.kind === 'limit';
    const keys: [key: string, text: string][] = [
      ['y', isLimit ? 'continue' : 'approve'],
      ['n', isLimit ? 'stop' : 'reject'],
    ];
    if (hunksOf(question).length > 0) keys.push(['h', 'by hunk']);
    if (canRemember(question)) keys.push(['s', 'always in this session'], ['p', 'always in this project']);
    if (!isLimit) keys.push(['v', 'view all']);
    keys.push(['q', 'later']);
    return toKeyRows(keys, width, palette);
  }

  #reject(): void {
    const { question, host, palette, onAnswer } = this.#options;
    if (question.subject.kind === 'limit') return onAnswer('rejected', {});
    return host.open(
      new TextDialog({
        title: 'Reject. What should it do instead? (Enter alone gives no reason)',
        palette,
        onEnter: (text) => onAnswer('rejected', text.trim() === '' ? {} : { note: text.trim() }),
        onCancel: () => host.open(this),
      }),
    );
  }

  #review(): void {
    const { question, host, palette, edit, onAnswer } = this.#options;
    host.open(
      new HunkDialog({
        hunks: hunksOf(question),
        palette,
        host,
        edit,
        onAnswer: (hunks, note) => onAnswer('approved', { hunks, ...(note === '' ? {} : { note }) }),
        onCancel: () => host.open(this),
      }),
    );
  }
}
