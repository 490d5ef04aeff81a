import type { KeyStore, ProviderKeys } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { askKey, canType, chooseProvider, readKey } from '../../prompt/key-prompt.ts';
import { openQuestions } from '../../prompt/open-questions.ts';

export const command: LeafCommand = {
  name: 'login',
  summary: 'store the key of a provider of models',
  description:
    'Reads a key without echo, or from standard input, checks it with one small request, and stores it in the keyring of the system, or in keys.json of the state folder if there is none.',
  footer:
    'Example:\n  klaus login anthropic < key.txt\n\nA key in the environment or a configuration file is used instead of a stored one.',
  server: 'none',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[provider]', 'providers', 'such as anthropic (klaus login --list lists them)'))
      .option('--list', 'list the providers and where their keys come from')
      .option('--no-check', 'store the key without a request to the provider')
      .option('--json', 'with --list: one JSON document'),
  run: logIn,
};

/** Stores a key, or lists where the keys come from. @param given Name of a provider. Default: the user chooses. @returns The exit code. */
export async function logIn(
  given: string | undefined,
  { list, check, json }: Options & { list?: true; check: boolean },
): Promise<number> {
  const { openKeyStore } = await import('@klaus/sdk');
  const keys = openKeyStore();
  const providers = await keys.list();
  if (list) {
    printKeys(providers, json === true);
    return EXIT.done;
  }
  // A name is checked before the user types a key.
  const named = given === undefined ? undefined : findProvider(providers, given);
  if (canType()) return await askAndStore({ keys, providers, named, check });
  const provider = named ?? refuseMissing(providers);
  const key = await readKey();
  if (check) await checkKey(keys, provider, key);
  const { result, warning } = await storeKey(keys, { provider, key, check });
  out.write(`${result}\n`);
  if (warning !== undefined) err.write(`klaus: ${warning}\n`);
  return EXIT.done;
}

/** Asks at the terminal. */
async function askAndStore(given: {
  keys: KeyStore;
  providers: readonly ProviderKeys[];
  named: ProviderKeys | undefined;
  check: boolean;
}): Promise<number> {
  const { keys, providers, named, check } = given;
  using questions = await openQuestions('Login');
  const provider = named ?? (await chooseProvider(questions, 'Provider', providers));
  const key = provider && (await askKey(questions, provider.title));
  if (provider === undefined || key === undefined) {
    questions.cancel('No key was stored.');
    return EXIT.interrupted;
  }
  if (check) {
    const messages = { doing: 'Checking the key', done: `${provider.title} accepts the key` };
    await questions.wait(messages, () => checkKey(keys, provider, key));
  }
  const { result, warning } = await storeKey(keys, { provider, key, check });
  questions.end({
    title: provider.title,
    lines: [result, ...(warning === undefined ? [] : [`Warning: ${warning}`])],
    next: 'Start a chat with klaus',
  });
  return EXIT.done;
}

/** @throws UsageError for an unknown name. */
function findProvider(providers: readonly ProviderKeys[], name: string): ProviderKeys {
  const found = providers.find(({ provider }) => provider === name.toLowerCase());
  if (found) return found;
  throw new UsageError(
    `There is no provider ${name}.`,
    `Providers: ${providers.map(({ provider }) => provider).join(', ')}.`,
  );
}

/** @throws UsageError always. */
function refuseMissing(providers: readonly ProviderKeys[]): never {
  throw new UsageError(
    'There is no provider.',
    `Name one: klaus login ${providers.map(({ provider }) => provider).join(' | ')}.`,
  );
}

/** Stores a key. Returns what was written, and a warning if another key is used instead. */
async function storeKey(
  keys: KeyStore,
  { provider: { provider, title }, key, check }: { provider: ProviderKeys; key: string; check: boolean },
): Promise<{ result: string; warning: string | undefined }> {
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

/** @throws CliError `auth` if the provider refuses the key, `model.failed` if it does not answer. */
async function checkKey(keys: KeyStore, { provider, title }: ProviderKeys, key: string): Promise<void> {
  const checked = await keys.check(provider, key);
  if (checked.result === 'accepted') return;
  const reason = toLine(checked.message, 300);
  if (checked.result === 'refused') {
    throw new CliError('auth', `${title} does not accept the key: ${reason}`, {
      hint: 'Nothing is stored. Check the key, and that it belongs to this provider.',
    });
  }
  throw new CliError('model.failed', `The key could not be checked: ${reason}`, {
    hint: 'Nothing is stored. Check the network, or store it unchecked with `--no-check`.',
  });
}

function printKeys(providers: readonly ProviderKeys[], json: boolean): void {
  if (json) return out.json(providers, 2);
  const rows = providers.map((each) => [each.provider, toSource(each), each.variables.join(', ')]);
  out.write(toTable([['PROVIDER', 'KEY FROM', 'VARIABLES'], ...rows]));
}

function toSource({ source, where, stored }: ProviderKeys): string {
  if (source === undefined) return stored === undefined ? 'no key' : 'keyring, which cannot be read';
  return where === undefined ? source : `${source} (${where})`;
}
