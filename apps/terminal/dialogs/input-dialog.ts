import {
  findInputProblem,
  findValueProblem,
  toInputDefaults,
  toInputValue,
  type AnswerOptions,
  type InputContent,
  type InputField,
  type InputQuestion,
} from '@klaus/sdk';
import type { Reply } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import { matchesKey } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import { toSafe, wrap } from '../view/wrap.ts';
import { ChoiceDialog } from './choice-dialog.ts';
import type { Dialog, DialogHost } from './dialog.ts';
import { toKeyRows, toRule } from './key-rows.ts';
import { TextDialog } from './text-dialog.ts';

export interface InputOptions {
  question: InputQuestion;
  palette: Palette;
  host: DialogHost;
  onAnswer: (reply: Reply, options: Omit<AnswerOptions, 'by'>) => void;
  /** The question stays open. */
  onLater: () => void;
}

/** A question of a running tool: the user accepts it, and then fills in one field after the other. */
export class InputDialog implements Dialog {
  focused = false;
  readonly #options: InputOptions;
  #content: InputContent;
  #problem: string | undefined;

  constructor(options: InputOptions) {
    this.#options = options;
    this.#content = toInputDefaults(options.question.fields);
  }

  invalidate(): void {}

  handleInput(data: string): void {
    const { onAnswer, onLater } = this.#options;
    if (matchesKey(data, 'escape') || matchesKey(data, 'q')) return onLater();
    if (matchesKey(data, 'n')) return onAnswer('rejected', {});
    if (matchesKey(data, 'y')) return this.#ask(0);
  }

  render(width: number): string[] {
    const { question, palette } = this.#options;
    const { from, message, fields, url } = question;
    const names = fields.map(({ title }) => toLine(title, 80)).join(', ');
    return [
      palette.warn(toRule(width)),
      ...wrap(palette.strong(toSafe(`${from} asks`)), width, { first: palette.warn('? '), rest: '  ', indent: 2 }),
      ...wrap(toSafe(message), width, { first: '  ', indent: 2 }),
      ...(names === '' ? [] : wrap(palette.muted(`Fields: ${names}`), width, { first: '  ', indent: 2 })),
      ...(url === undefined ? [] : wrap(toSafe(`Open ${url}, then accept.`), width, { first: '  ', indent: 2 })),
      ...(this.#problem === undefined ? [] : [palette.warn(`  ${toLine(this.#problem, 200)}`)]),
      ...toKeyRows(
        [
          ['y', fields.length === 0 ? 'accept' : 'answer'],
          ['n', 'decline'],
          ['q', 'later'],
        ],
        width,
        palette,
      ),
    ];
  }

  /** Asks for the value of a field, and then for the next. */
  #ask(at: number): void {
    const { question, host, onAnswer } = this.#options;
    const field = question.fields[at];
    if (!field) {
      this.#problem = findInputProblem(question.fields, this.#content);
      if (this.#problem !== undefined) return host.open(this);
      return onAnswer('approved', question.fields.length === 0 ? {} : { content: this.#content });
    }
    const next = (value: InputContent[string] | undefined): void => {
      const { [field.name]: _, ...others } = this.#content;
      this.#content = value === undefined ? others : { ...others, [field.name]: value };
      this.#ask(at + 1);
    };
    host.open(this.#toDialog(field, next));
  }

  #toDialog(field: InputField, next: (value: InputContent[string] | undefined) => void, problem?: string): Dialog {
    const { palette, host } = this.#options;
    const { name, type, required, options = [], description } = field;
    const title = [
      toLine(field.title, 200),
      description === undefined ? '' : `: ${toLine(description, 500)}`,
      type === 'choices' ? ` [${options.map(({ value }) => toLine(value, 80)).join(', ')}; separated by commas]` : '',
      required ? '' : ' (optional)',
      problem === undefined ? '' : ` - ${toLine(problem, 200)}`,
    ].join('');
    const onCancel = (): void => host.open(this);
    const value = this.#content[name];
    if (type === 'boolean' || type === 'choice') {
      const all: { value: InputContent[string] | undefined; label: string }[] =
        type === 'choice'
          ? options.map((option) => ({ value: option.value, label: toLine(option.title, 200) }))
          : [
              { value: true, label: 'yes' },
              { value: false, label: 'no' },
            ];
      const choices = required ? all : [...all, { value: undefined, label: '(no value)' }];
      const selected = Math.max(
        0,
        choices.findIndex((choice) => choice.value === value),
      );
      return new ChoiceDialog({ title, choices, palette, selected, onChoose: next, onCancel });
    }
    return new TextDialog({
      ...{ title, palette, onCancel },
      text: value === undefined ? '' : String(value),
      onEnter: (text) => {
        if (text.trim() === '' && !required) return next(undefined);
        const given = toInputValue(field, text);
        const wrong = text.trim() === '' ? 'a value is required' : findValueProblem(field, given);
        if (wrong === undefined) return next(given);
        return host.open(this.#toDialog(field, next, wrong));
      },
    });
  }
}
