import type { KeyStore, ProviderKeys } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { canType, chooseProvider, readKey } from '../../prompt/key-prompt.ts';

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
      .argument('[provider]', 'such as anthropic (klaus login --list lists them)')
      .option('--list', 'list the providers and where their keys come from')
      .option('--no-check', 'store the key without a request to the provider')
      .option('--json', 'with --list: one JSON document'),
  run: logIn,
};

/** Stores a key, or lists where the keys come from. Returns the exit code. @param given Name of a provider. Default: the user chooses. */
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
  const name = given ?? (await askForProvider(providers));
  if (name === undefined) return EXIT.interrupted;
  // The name is checked before the user types a key.
  const provider = providers.find((each) => each.provider === name.toLowerCase());
  if (provider === undefined) {
    throw new UsageError(
      `There is no provider ${name}.`,
      `Providers: ${providers.map((each) => each.provider).join(', ')}.`,
    );
  }
  const key = await readKey(provider.title);
  if (key === undefined) return EXIT.interrupted;
  if (check) await checkKey(keys, provider, key);
  const stored = await keys.store(provider.provider, key);
  const place = stored.in === 'keyring' ? 'the keyring of the system' : stored.file;
  out.write(`The key of ${provider.title} is stored in ${place}${check ? '' : ', without a check'}.\n`);
  const { source } = (await keys.list()).find((each) => each.provider === provider.provider)!;
  if (source !== 'keyring' && source !== 'key file') {
    err.write(`klaus: the key from the ${source} is used instead, because it is stronger than a stored one.\n`);
  }
  return EXIT.done;
}

async function askForProvider(providers: readonly ProviderKeys[]): Promise<string | undefined> {
  if (canType()) return chooseProvider('Provider', providers);
  throw new UsageError(
    'There is no provider.',
    `Name one: klaus login ${providers.map(({ provider }) => provider).join(' | ')}.`,
  );
}

/** @throws CliError `auth` if the provider refuses the key, `model.failed` if it does not answer. */
async function checkKey(keys: KeyStore, { provider, title }: ProviderKeys, key: string): Promise<void> {
  const checked = await keys.check(provider, key);
  if (checked.result === 'accepted') return;
  // The message of a provider can quote the key.
  const reason = toLine(checked.message.replaceAll(key, '…'), 300);
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
