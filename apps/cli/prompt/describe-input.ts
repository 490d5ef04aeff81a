import type { InputField, InputQuestion } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';

/** What is asked, safe for a terminal, one line for each field. */
export function describeInput({ message, fields, url, host }: InputQuestion): string[] {
  return [
    toLine(message, 4_000),
    ...fields.map((field) => `  ${describeField(field)}`),
    ...(host === undefined ? [] : [`Host: ${toLine(host, 300)}`]),
    ...(url === undefined ? [] : [`Open ${toLine(url, 2_000)}, then accept.`]),
  ];
}

/** One field in a line. */
export function describeField({ title, description, type, options = [], required }: InputField): string {
  const choices = options.map(({ value, title: shown }) => (value === shown ? value : `${value} (${shown})`));
  const kind = choices.length > 0 ? `${type} of ${choices.join(', ')}` : type;
  const more = description === undefined ? '' : `: ${description}`;
  return toLine(`${title} [${kind}${required ? '' : ', optional'}]${more}`, 1_000);
}
