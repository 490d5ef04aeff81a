import { isatty } from 'node:tty';
import type { ProviderKeys } from '@klaus/sdk';
import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';
import { readStdin } from './prompt-input.ts';
import type { Questions } from './questions.ts';

/** True if a user can type a key or choose a provider: standard input and standard error are a terminal. */
export function canType(): boolean {
  return isatty(0) && err.isTTY;
}

/** Asks for a key, which is not shown. Undefined: the user cancelled. */
export function askKey(questions: Questions, title: string): Promise<string | undefined> {
  return questions.secret(`Key of ${title}`, (text) => (text === '' ? 'Paste the key, or press Ctrl-C.' : undefined));
}

/** Reads a key from standard input. @throws UsageError if that is empty. */
export async function readKey(): Promise<string> {
  const key = new TextDecoder().decode(await readStdin()).trim();
  if (key !== '') return key;
  throw new UsageError('There is no key.', 'Pipe it to standard input, or run `klaus login` in a terminal.');
}

/** Lets the user choose a provider. Undefined: the user cancelled. */
export async function chooseProvider(
  questions: Questions,
  message: string,
  providers: readonly ProviderKeys[],
): Promise<ProviderKeys | undefined> {
  const chosen = await questions.select(
    message,
    providers.map(({ provider, title, source }) => ({
      value: provider,
      label: title,
      ...(source === undefined ? {} : { hint: `key from the ${source}` }),
    })),
  );
  return providers.find(({ provider }) => provider === chosen);
}
