import type { KeyCheck, KeyStore, ProviderKeys } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import type { Questions } from '../prompt/questions.ts';
import { askKey } from './key-prompt.ts';

/** A key that was stored. */
export interface StoredKey {
  /** Where it is, in one sentence. */
  result: string;
  /** Another key is used instead. */
  warning: string | undefined;
}

/**
 * Asks for the key of a provider until one is stored. Nothing is stored before the provider accepts it, unless the user
 * says so.
 *
 * @param check False: store it without a request to the provider.
 * @returns Undefined: the user cancelled.
 */
export async function setUpKey(
  questions: Questions,
  { keys, provider, check }: { keys: KeyStore; provider: ProviderKeys; check: boolean },
): Promise<StoredKey | undefined> {
  for (;;) {
    const key = await askKey(questions, provider.title);
    if (key === undefined) return undefined;
    if (!check) return await storeKey(keys, { provider, key, check });
    const messages = { doing: 'Checking the key', done: 'The key was checked' };
    const checked = await questions.wait(messages, () => keys.check(provider.provider, key));
    if (checked.result === 'accepted') return await storeKey(keys, { provider, key, check });
    questions.warn(toProblem(provider, checked));
    const next = await questions.select('What now?', [
      { value: 'again', label: 'Paste a key again' },
      ...(checked.result === 'refused' ? [] : [{ value: 'store', label: 'Store it without a check' } as const]),
      { value: 'cancel', label: 'Cancel' },
    ]);
    if (next === 'store') return await storeKey(keys, { provider, key, check: false });
    if (next !== 'again') return undefined;
  }
}

/** What a check says about a key that is not accepted, in one sentence. */
export function toProblem({ title }: ProviderKeys, checked: Exclude<KeyCheck, { result: 'accepted' }>): string {
  const reason = toLine(checked.message, 300);
  return checked.result === 'refused'
    ? `${title} does not accept the key: ${reason}`
    : `The key could not be checked: ${reason}`;
}

/** @param check True: the provider has accepted the key. */
export async function storeKey(
  keys: KeyStore,
  { provider: { provider, title }, key, check }: { provider: ProviderKeys; key: string; check: boolean },
): Promise<StoredKey> {
  const stored = await keys.store(provider, key);
  const place = stored.in === 'keyring' ? 'the keyring of the system' : toPrintable(stored.file);
  const { source } = (await keys.list()).find((each) => each.provider === provider)!;
  return {
    result: `The key of ${title} is stored in ${place}${check ? '' : ', without a check'}.`,
    warning:
      source === 'keyring' || source === 'key file'
        ? undefined
        : `the key from the ${source} is used instead, because it is stronger than a stored one.`,
  };
}

/** For the user. */
export function toLines(stored: StoredKey | undefined): string[] | undefined {
  return stored && [stored.result, ...(stored.warning === undefined ? [] : [`Warning: ${stored.warning}`])];
}
