import { isatty } from 'node:tty';
import type { ProviderKeys } from '@klaus/sdk';
import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';
import { readStdin } from '../prompt/prompt-input.ts';
import type { Choice, Questions } from '../prompt/questions.ts';

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

/** A way to a model that is set up here. */
export type ModelWay = 'local' | 'key' | 'server';

/** Lets the user choose a provider. Undefined: the user cancelled. */
export async function chooseProvider(
  questions: Questions,
  message: string,
  providers: readonly ProviderKeys[],
): Promise<ProviderKeys | undefined> {
  const chosen = await questions.select(message, providers.map(toChoice));
  return providers.find(({ provider }) => provider === chosen);
}

/** Lets the user choose a provider, or another way to a model. Undefined: the user cancelled. */
export async function chooseWay(
  questions: Questions,
  providers: readonly ProviderKeys[],
): Promise<ProviderKeys | Exclude<ModelWay, 'key'> | undefined> {
  const chosen = await questions.select<string>('Provider', [
    ...providers.map(toChoice),
    { value: 'server', label: 'A server by its base URL' },
    { value: 'local', label: 'A model on this machine' },
  ]);
  if (chosen === 'server' || chosen === 'local') return chosen;
  return providers.find(({ provider }) => provider === chosen);
}

function toChoice({ provider, title, source }: ProviderKeys): Choice<string> {
  return { value: provider, label: title, ...(source === undefined ? {} : { hint: `key from the ${source}` }) };
}
