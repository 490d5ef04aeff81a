import {
  findValueProblem,
  toInputDefaults,
  toInputValue,
  type InputContent,
  type InputField,
  type InputQuestion,
} from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { err } from '../output/sink.ts';
import type { Paint } from '../output/paint.ts';
import type { Keyboard } from './keyboard.ts';

/** What is asked, safe for a terminal, one line for each field. */
export function describeInput({ message, fields, url }: InputQuestion): string[] {
  return [
    toLine(message, 4_000),
    ...fields.map((field) => `  ${describeField(field)}`),
    ...(url === undefined ? [] : [`Open ${toLine(url, 2_000)}, then accept.`]),
  ];
}

function describeField({ title, description, type, options = [], required }: InputField): string {
  const choices = options.map(({ value, title: shown }) => (value === shown ? value : `${value} (${shown})`));
  const kind = choices.length > 0 ? `${type} of ${choices.join(', ')}` : type;
  const more = description === undefined ? '' : `: ${description}`;
  return toLine(`${title} [${kind}${required ? '' : ', optional'}]${more}`, 1_000);
}

/** Asks for the value of each field, as long as one does not fit. Undefined: the terminal was closed; `ctrl-c`: Ctrl-C. */
export async function askFields(
  { fields }: InputQuestion,
  { keyboard, paint, signal }: { keyboard: Keyboard; paint: Paint; signal: AbortSignal },
): Promise<InputContent | 'ctrl-c' | undefined> {
  const content = toInputDefaults(fields);
  for (const field of fields) {
    for (;;) {
      const { name, required } = field;
      const known = Object.hasOwn(content, name) ? ` (Enter: ${toLine(String(content[name]), 80)})` : '';
      const text = await keyboard.line(paint('bold', `${describeField(field)}${known} `), { signal });
      if (text === undefined || text === 'ctrl-c') return text;
      if (text.trim() === '' && (known !== '' || !required)) break;
      const value = toInputValue(field, text);
      const problem = text.trim() === '' ? 'a value is required' : findValueProblem(field, value);
      if (problem === undefined) {
        content[name] = value;
        break;
      }
      err.write(`${toLine(problem, 200)}\n`);
    }
  }
  return content;
}
