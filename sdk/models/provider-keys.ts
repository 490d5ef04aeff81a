import { resolve } from 'node:path';
import type { Model, ModelFailure, ModelRequest } from '@klaus/core/agent';
import { fromText, KlausError, SETTINGS, toAllowed, toNearest, type ModelFailureCode } from '@klaus/core/protocol';
import { PROVIDER_NAMES, PROVIDER_TABLE, type ProviderKey, type ProviderName } from '@klaus/core/provider-table';
import type { Configuration, SourceName } from '../config/configuration.ts';
import { toHome } from '../config/home.ts';
import { type ConfigurationInput, loadConfiguration } from '../config/load-configuration.ts';
import { keysOf, listStoredKeys, removeKey, storeKey, toKeyFile } from '../config/stored-keys.ts';

/** Milliseconds that a check waits for the first answer of the provider. */
const CHECK_MS = 20_000;

/** Failures of the network and of the service, which say nothing about the key. */
const UNREACHED: readonly ModelFailureCode[] = ['connection', 'idle', 'overloaded', 'server_error', 'malformed'];

const CHECK_REQUEST: ModelRequest = {
  system: 'Answer with one word.',
  tools: [],
  messages: [{ id: 'check', role: 'user', origin: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  // The lowest number that every provider accepts.
  maxOutputTokens: 16,
  session: 'klaus-login',
};

/** The keys of one provider. No key itself is part of it. */
export interface ProviderKeys {
  provider: ProviderName;
  /** Its own spelling of its name. */
  title: string;
  /** Variables that hold a key of it. */
  variables: readonly string[];
  /** Where its key comes from. Absent: it has none. */
  source?: SourceName;
  /** The variable, or the file with its line. */
  where?: string;
  /** Where `klaus login` stored a key, which another source can override. */
  stored?: 'keyring' | 'file';
}

export type KeyCheck =
  | { result: 'accepted' }
  /** The provider does not accept the key. */
  | { result: 'refused'; message: string }
  /** No answer that says something about the key. */
  | { result: 'unknown'; message: string };

export interface KeyStoreOptions {
  /** Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Default: the current folder. */
  cwd?: string;
  /** State folder. Default: `KLAUS_HOME`, else `~/.klaus`. */
  home?: string;
  /** Settings that override all other sources, by key. Default: none. */
  settings?: Readonly<Record<string, unknown>>;
}

/** The keys of the providers of models, which `klaus login` stores in the keyring or in a file of the state folder. */
export interface KeyStore {
  list(): Promise<ProviderKeys[]>;
  /**
   * Sends one small request with the key to the provider, at its configured address. A message never contains the key.
   *
   * @param key Default: the key that is in use.
   * @throws KlausError `usage` for an unknown provider, `auth` without a key.
   */
  check(provider: string, key?: string): Promise<KeyCheck>;
  /** Stores a key. `file`: there is no keyring. @throws KlausError `config` for a text that is no key. */
  store(provider: string, key: string): Promise<{ in: 'keyring' | 'file'; file: string }>;
  /** False if no key is stored. */
  remove(provider: string): Promise<boolean>;
}

export function openKeyStore(options: KeyStoreOptions = {}): KeyStore {
  const env = options.env ?? process.env;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = toHome(env, cwd, options.home);
  const place = { env, home };
  const input = { env, home, cwd, settings: options.settings };
  return {
    async list() {
      const { sources } = await loadConfiguration(input);
      const stored = listStoredKeys(home);
      return PROVIDER_NAMES.map((provider): ProviderKeys => {
        const names = keysOf(provider);
        const used = names.map((name) => sources[`keys.${name}`]).find(({ source }) => source !== 'default');
        return {
          provider,
          title: PROVIDER_TABLE[provider].title,
          variables: Object.values(PROVIDER_TABLE[provider].keys).map((key) => key.env),
          source: used?.source,
          where: used?.where,
          stored: names.map((name) => stored.get(name)).find((entry) => entry !== undefined),
        };
      });
    },
    check: async (provider, key) => checkKey(toProvider(provider), key, input),
    async store(provider, key) {
      return { in: await storeKey(place, toMainKey(provider, key), key), file: toKeyFile(home) };
    },
    async remove(provider) {
      const removed = [];
      for (const name of keysOf(toProvider(provider))) removed.push(await removeKey(place, name));
      return removed.includes(true);
    },
  };
}

/** The setting of the provider's key. @throws KlausError `usage`, `config`. */
function toMainKey(provider: string, key: string): ProviderKey {
  const [name] = keysOf(toProvider(provider));
  const setting = SETTINGS[`keys.${name!}`];
  if (!setting.schema.safeParse(fromText(setting, key)).success) {
    throw new KlausError('config', 'This is no key.', { hint: `Allowed: ${toAllowed(setting)}.` });
  }
  return name!;
}

/** @throws KlausError `usage` for an unknown provider. */
function toProvider(given: string): ProviderName {
  const found = PROVIDER_NAMES.find((name) => name === given.toLowerCase());
  if (found) return found;
  const nearest = toNearest(given, PROVIDER_NAMES);
  throw new KlausError('usage', `There is no provider ${JSON.stringify(given)}.`, {
    hint: nearest ? `Did you mean ${nearest}?` : `Providers: ${PROVIDER_NAMES.join(', ')}.`,
  });
}

async function checkKey(provider: ProviderName, key: string | undefined, input: ConfigurationInput): Promise<KeyCheck> {
  const [{ createModels, PROVIDERS }, { toModelsOptions }, configuration] = await Promise.all([
    import('@klaus/adapters/models'),
    import('../engine/engine-settings.ts'),
    loadConfiguration(input),
  ]);
  const { baseUrls } = toModelsOptions(configuration);
  const keys = key === undefined ? findKeys(configuration, provider) : { [toMainKey(provider, key)]: key };
  const models = createModels({ keys, baseUrls });
  const cheap = configuration.values.tiers[provider].haiku ?? PROVIDERS[provider].tiers.haiku;
  return checkModel(await models.resolve(`${provider}/${cheap}`), Object.values(keys));
}

/** Sends one small request. @param keys A message of the server can quote them. */
export async function checkModel(model: Model, keys: readonly string[]): Promise<KeyCheck> {
  const signal = AbortSignal.timeout(CHECK_MS);
  // The first event decides. The rest of the answer is not read.
  for await (const event of model.stream(CHECK_REQUEST, { signal })) {
    if (event.type !== 'failed') return { result: 'accepted' };
    if (!signal.aborted) return toResult(event.failure, keys);
  }
  return { result: 'unknown', message: `no answer within ${CHECK_MS / 1_000} seconds` };
}

/** The keys of a provider that are in use. @throws KlausError `auth` if there is none. */
function findKeys({ values }: Configuration, provider: ProviderName): Partial<Record<ProviderKey, string>> {
  const found = keysOf(provider).filter((name) => values.keys[name] !== undefined);
  if (found.length > 0) return Object.fromEntries(found.map((name) => [name, values.keys[name]]));
  throw new KlausError('auth', `No key of ${PROVIDER_TABLE[provider].title} is set.`, {
    hint: `\`klaus login ${provider}\` stores one.`,
  });
}

/** @param keys The message of a provider can quote them. */
function toResult(failure: ModelFailure, keys: readonly string[]): KeyCheck {
  const { code, status } = failure;
  const message = keys.reduce((text, key) => text.replaceAll(key, '…'), failure.message);
  if (code === 'auth') return { result: 'refused', message };
  // At 404, the address may be that of another service.
  if (UNREACHED.includes(code) || status === 404) return { result: 'unknown', message };
  // The provider knows the account: a rate limit, no credit, or a request that it does not accept.
  return { result: 'accepted' };
}
