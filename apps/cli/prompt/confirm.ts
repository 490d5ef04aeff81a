import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';
import { hasKeyboard, openKeyboard } from './keyboard.ts';

/**
 * Asks a yes-or-no question at the terminal.
 *
 * @throws UsageError with the message `refusal` if there is no terminal.
 */
export async function confirm(question: string, refusal: string): Promise<boolean> {
  if (!hasKeyboard()) throw new UsageError(refusal, 'Add `--yes` to do it without a question.');
  err.write(`${question} [y/n] `);
  const keyboard = await openKeyboard();
  try {
    const key = await keyboard.key();
    err.write('\n');
    return key?.toLowerCase() === 'y';
  } finally {
    keyboard.close();
  }
}
