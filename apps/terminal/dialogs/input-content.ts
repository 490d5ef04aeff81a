import {
  findInputProblem,
  findValueProblem,
  toInputDefaults,
  toInputValue,
  type InputContent as Content,
  type InputField,
  type InputQuestion,
} from '@klaus/sdk';
import { ANSWER_KEYS } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';
import { toSafe, wrap } from '../view/wrap.ts';
import type { ContentOptions } from './approval-content.ts';
import { ChoiceDialog } from './choice-dialog.ts';
import type { Dialog } from './dialog.ts';
import type { Answer, QuestionContent, ShownQuestion } from './question-panel.ts';
import { TextDialog } from './text-dialog.ts';

export interface InputOptions extends ContentOptions {
  question: InputQuestion;
}

/** A question of a running tool: the user accepts it, and then fills in one field after the other. */
export class InputContent implements QuestionContent {
  readonly #options: InputOptions;
  #content: Content;
  #problem: string | undefined;

  constructor(options: InputOptions) {
    this.#options = options;
    this.#content = toInputDefaults(options.question.fields);
  }

  answers(): readonly Answer[] {
    const { question, onAnswer, onLater } = this.#options;
    const label = question.fields.length === 0 ? 'accept' : 'answer';
    return [
      { key: ANSWER_KEYS.approve, label, run: () => this.#ask(0) },
      { key: ANSWER_KEYS.reject, label: 'decline', run: () => onAnswer('rejected', {}) },
      { key: ANSWER_KEYS.later, label: 'later', run: onLater },
    ];
  }

  render(width: number): ShownQuestion {
    const { question, style } = this.#options;
    const { palette } = style;
    const { from, message, fields, url, host } = question;
    const names = fields.map(({ title }) => toLine(title, 80)).join(', ');
    return {
      title: toLine(`${from} asks`, 400),
      risk: '',
      rows: [
        ...wrap(toSafe(message), width),
        ...(names === '' ? [] : wrap(palette.muted(`Fields: ${names}`), width)),
        ...(host === undefined ? [] : wrap(toSafe(`Host: ${host}`), width)),
        ...(url === undefined ? [] : wrap(toSafe(`Open ${url}, then accept.`), width)),
        ...(this.#problem === undefined ? [] : [palette.warn(toLine(this.#problem, 200))]),
      ],
    };
  }

  /** Asks for the value of a field, and then for the next. */
  #ask(at: number): void {
    const { question, host, onAnswer } = this.#options;
    const field = question.fields[at];
    if (!field) {
      this.#problem = findInputProblem(question.fields, this.#content);
      if (this.#problem !== undefined) return host.close();
      return onAnswer('approved', question.fields.length === 0 ? {} : { content: this.#content });
    }
    const next = (value: Content[string] | undefined): void => {
      const { [field.name]: _, ...others } = this.#content;
      this.#content = value === undefined ? others : { ...others, [field.name]: value };
      this.#ask(at + 1);
    };
    host.open(this.#toDialog(field, next));
  }

  #toDialog(field: InputField, next: (value: Content[string] | undefined) => void, problem?: string): Dialog {
    const { style, host } = this.#options;
    const { palette } = style;
    const { name, type, required, options = [], description } = field;
    const title = [
      toLine(field.title, 200),
      description === undefined ? '' : `: ${toLine(description, 500)}`,
      type === 'choices' ? ` [${options.map(({ value }) => toLine(value, 80)).join(', ')}; separated by commas]` : '',
      required ? '' : ' (optional)',
      problem === undefined ? '' : ` - ${toLine(problem, 200)}`,
    ].join('');
    const onCancel = (): void => host.close();
    const isBurst = (): boolean => host.isBurst;
    const value = this.#content[name];
    if (type === 'boolean' || type === 'choice') {
      const all: { value: Content[string] | undefined; label: string }[] =
        type === 'choice'
          ? options.map((option) => ({ value: option.value, label: toLine(option.title, 200) }))
          : [
              { value: true, label: 'yes' },
              { value: false, label: 'no' },
            ];
      const choices = required ? all : [...all, { value: undefined, label: '(no value)' }];
      const selected = value === undefined ? -1 : choices.findIndex((choice) => choice.value === value);
      return new ChoiceDialog({ title, choices, palette, selected, isBurst, onChoose: next, onCancel });
    }
    return new TextDialog({
      ...{ title, palette, isBurst, onCancel },
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
