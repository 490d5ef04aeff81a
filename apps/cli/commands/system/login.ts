import type { KeyStore, ProviderKeys } from '@klaus/sdk';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { openKlaus } from '../../client/open-klaus.ts';
import { openQuestions } from '../../prompt/open-questions.ts';
import type { Questions } from '../../prompt/questions.ts';
import { canType, chooseWay, readKey } from '../../setup/key-prompt.ts';
import { setUpKey, storeKey, toLines, toProblem } from '../../setup/key-set-up.ts';
import { setUpWay } from '../../setup/set-up.ts';

export const command: LeafCommand = {
  name: 'login',
  summary: 'set up a model: the key of a provider, a server, or a model on this machine',
  examples: ['klaus login anthropic < key.txt'],
  description:
    'Reads a key without echo, or from standard input, checks it with one small request, and stores it in the keyring of the system, or in keys.json of the state folder if there is none.',
  footer: 'A key in the environment or a configuration file is used instead of a stored one.',
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
  if (canType()) return await askAndStore(keys, named, check);
  const provider = named ?? refuseMissing(providers);
  const key = await readKey();
  if (check) await checkKey(keys, provider, key);
  const { result, warning } = await storeKey(keys, { provider, key, check });
  out.write(`${result}\n`);
  if (warning !== undefined) err.write(`klaus: ${warning}\n`);
  return EXIT.done;
}

/** Asks at the terminal. @param named Undefined: the user chooses among all ways to a model. */
async function askAndStore(keys: KeyStore, named: ProviderKeys | undefined, check: boolean): Promise<number> {
  using questions = await openQuestions('Login');
  const lines = await setUp(questions, { keys, named, check });
  if (lines === undefined) {
    questions.cancel('Nothing was stored.');
    return EXIT.interrupted;
  }
  questions.end({ title: 'Stored', lines, next: 'Start a chat with klaus' });
  return EXIT.done;
}

/** @returns What was stored, for the user. Undefined: the user cancelled. */
async function setUp(
  questions: Questions,
  { keys, named, check }: { keys: KeyStore; named: ProviderKeys | undefined; check: boolean },
): Promise<readonly string[] | undefined> {
  const chosen = named ?? (await chooseWay(questions, await keys.list()));
  if (chosen === undefined) return undefined;
  if (typeof chosen !== 'string') return toLines(await setUpKey(questions, { keys, provider: chosen, check }));
  await using klaus = await openKlaus();
  return await setUpWay(questions, klaus, chosen);
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

/** @throws CliError `auth` if the provider refuses the key, `model.failed` if it does not answer. */
async function checkKey(keys: KeyStore, provider: ProviderKeys, key: string): Promise<void> {
  const checked = await keys.check(provider.provider, key);
  if (checked.result === 'accepted') return;
  const isRefused = checked.result === 'refused';
  throw new CliError(isRefused ? 'auth' : 'model.failed', toProblem(provider, checked), {
    hint: isRefused
      ? 'Nothing is stored. Check the key, and that it belongs to this provider.'
      : 'Nothing is stored. Check the network, or store it unchecked with `--no-check`.',
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
