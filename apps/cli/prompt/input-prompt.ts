import { findValueProblem, toInputDefaults, toInputValue, type InputContent, type InputQuestion } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { err } from '../output/sink.ts';
import type { Paint } from '../output/paint.ts';
import { describeField } from './describe-input.ts';
import type { Keyboard } from './keyboard.ts';

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
