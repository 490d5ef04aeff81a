import type { InputQuestion } from '../../protocol/index.ts';

/** The end of the notice about a question that was declined because of such a form. A replay finds it by this text. */
export const SECRET_DECLINED = 'asked for a secret. The question was declined.';

/** Names of fields whose values are secret. */
const SECRET =
  /pass(word|phrase|code|wd)|secret|credential|token|api[\s_-]?key|private[\s_-]?key|access[\s_-]?key|(^|[^a-z])(pin|otp|cvv|cvc|totp|iban)([^a-z]|$)|card[\s_-]?number|security[\s_-]?(code|answer)/i;

/** True for a form with a field for a secret: its value would be in the log and with the tool. */
export function asksForSecret({ fields }: Pick<InputQuestion, 'fields'>): boolean {
  return fields.some(({ type, name, title, description = '' }) => {
    if (type === 'boolean' || type === 'choice' || type === 'choices') return false;
    // Words of one identifier are separated, as in `userPin`.
    const words = [name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' '), title, description].join('\n');
    return SECRET.test(words);
  });
}
