import type { InputField, InputQuestion } from '../../protocol/index.ts';
import { namesSecret } from './secret-words.ts';

/** The end of the notice about a question that was declined because of such a form. A replay finds it by this text. */
export const SECRET_DECLINED = 'asked for a secret. The question was declined.';

/**
 * True for a form in which a user could enter a secret that its texts name: the value would be in the log and with the
 * tool. Its message counts, and each text of each field, because a field that asks may be called anything.
 */
export function asksForSecret({ message, fields }: Pick<InputQuestion, 'message' | 'fields'>): boolean {
  if (fields.every(isClosed)) return false;
  const texts = fields.flatMap((field) => [field.name, field.title, field.description ?? '', ...toOptionTexts(field)]);
  return [message, ...texts].some(namesSecret);
}

/** True for a field whose values the server has named. */
function isClosed({ type }: InputField): boolean {
  return type === 'boolean' || type === 'choice' || type === 'choices';
}

function toOptionTexts(field: InputField): string[] {
  return 'options' in field ? (field.options ?? []).flatMap(({ value, title }) => [value, title]) : [];
}
