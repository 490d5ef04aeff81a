import { isatty } from 'node:tty';
import type { ProviderKeys } from '@klaus/sdk';
import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';
import { readStdin } from './prompt-input.ts';

/** True if a user can type a key or choose a provider: standard input and standard error are a terminal. */
export function canType(): boolean {
  return isatty(0) && err.isTTY;
}

/**
 * Reads a key: typed without echo, or from standard input if that is not a terminal.
 *
 * @returns Undefined after Ctrl-C.
 * @throws UsageError if standard input is empty.
 */
export async function readKey(title: string): Promise<string | undefined> {
  if (canType()) {
    const { isCancel, password } = await import('@clack/prompts');
    const typed = await password({
      message: `Key of ${title}`,
      output: err.stream,
      validate: (text) => (text?.trim() ? undefined : 'Paste the key, or press Ctrl-C.'),
    });
    return isCancel(typed) ? undefined : typed.trim();
  }
  const key = new TextDecoder().decode(await readStdin()).trim();
  if (key !== '') return key;
  throw new UsageError('There is no key.', 'Pipe it to standard input, or run `klaus login` in a terminal.');
}

/** Lets the user choose a provider. Undefined after Ctrl-C. */
export async function chooseProvider(message: string, providers: readonly ProviderKeys[]): Promise<string | undefined> {
  const { isCancel, select } = await import('@clack/prompts');
  const chosen = await select({
    message,
    output: err.stream,
    options: providers.map(({ provider, title, source }) => ({
      value: provider as string,
      label: title,
      ...(source === undefined ? {} : { hint: `key from the ${source}` }),
    })),
  });
  return isCancel(chosen) ? undefined : chosen;
}
