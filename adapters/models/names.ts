import { KlausError, toNearest } from '@klaus/core/protocol';
import { PROVIDER_NAMES, PROVIDER_TABLE, TIERS, type ProviderName, type Tier } from '@klaus/core/provider-table';
import { toAiModelName } from './ai-sdk/provider-name.ts';
import { findEntry, listModels } from './catalog/catalog.ts';
import { isLocalFamily, LOCAL_FAMILIES } from './local/local-place.ts';
import { keyVariables, PROVIDERS } from './providers.ts';

export interface Target {
  /** The first part of the name. */
  provider: string;
  /** The same, if it is a configured server, or a program that is looked for. */
  server?: string;
  /** The provider's own id or the script's name. */
  id: string;
  notice?: string;
}

export interface NameRules {
  /** How each provider can be reached; see `accessTo`. */
  access: Readonly<Record<ProviderName, 'key' | 'server' | undefined>>;
  tiers: Readonly<Record<ProviderName, Readonly<Record<Tier, string>>>>;
  /** `PROVIDER/ID` of the AI SDK, for tiers while no other provider can be reached. Default: none. */
  aiTiers?: Tiers;
  /** Configured servers. Their tiers come last. */
  servers?: Readonly<Record<string, { tiers?: Tiers }>>;
}

type Tiers = Readonly<Partial<Record<Tier, string | undefined>>>;

/** The provider whose ids begin with the vendor of the model. */
const ROUTER = 'openrouter';

/**
 * Resolves the name of a model:
 * - `anthropic/ID`, `openai/ID`, `openrouter/VENDOR/ID`, `ai/PROVIDER/ID`, `scripted/NAME`, whether the id is known or not
 * - `NAME/ID` of a configured server
 * - `ollama/ID`, `llamacpp/ID`, `lmstudio/ID`, `vllm/ID` of a program on this machine
 * - a tier, within the first provider that has a key
 * - a bare id that the catalog knows, at its vendor if there is a key for it
 * - `VENDOR/ID` of OpenRouter, if only OpenRouter has a key
 *
 * @throws KlausError `model.unknown` with the nearest match, `auth` when no key fits.
 */
export function resolveName(name: string, rules: NameRules): Target {
  const slash = name.indexOf('/');
  if (slash < 0) return resolveBare(name, rules);
  const id = name.slice(slash + 1);
  if (id === '') throw unknown(name);
  const first = name.slice(0, slash);
  if (rules.servers && Object.hasOwn(rules.servers, first)) return { provider: first, server: first, id };
  if (isLocalFamily(first)) return { provider: first, server: first, id };
  const provider = [...PROVIDER_NAMES, 'ai' as const, 'scripted' as const].find((each) => each === first);
  if (provider === undefined) return resolveVendor(name, rules);
  if (provider === 'ai' && toAiModelName(id) === undefined) throw unknown(name);
  if (provider === 'scripted' || provider === 'ai') return { provider, id };
  // Some programs name a model of OpenRouter without its vendor, such as gpt-4.
  return withKey({ provider, id: provider === ROUTER ? (findAtVendor(id) ?? id) : id }, rules);
}

function resolveBare(name: string, rules: NameRules): Target {
  const { access, tiers, aiTiers } = rules;
  const tier = TIERS.find((candidate) => candidate === name);
  if (tier) {
    const provider =
      PROVIDER_NAMES.find((candidate) => access[candidate] === 'key') ??
      PROVIDER_NAMES.find((candidate) => access[candidate] === 'server');
    if (provider) return { provider, id: tiers[provider][tier] };
    const id = aiTiers?.[tier];
    if (id !== undefined) return { provider: 'ai', id };
    return findServerTier(tier, rules);
  }
  const provider = PROVIDER_NAMES.find((candidate) => findEntry(candidate, name));
  if (provider) return withKey({ provider, id: name }, rules);
  const id = findAtVendor(name);
  if (id === undefined) throw unknown(name);
  const vendor = PROVIDER_NAMES.find((candidate) => id === `${candidate}/${name}`);
  if (vendor === undefined) return withKey({ provider: ROUTER, id }, rules);
  // The vendor has another id for the model.
  if (access[vendor] !== undefined && PROVIDERS[vendor].through !== ROUTER) throw unknown(name);
  return withKey({ provider: vendor, id: name }, rules);
}

/** @throws KlausError `auth` if no server has the tier. */
function findServerTier(tier: Tier, { servers = {} }: NameRules): Target {
  for (const [server, { tiers }] of Object.entries(servers)) {
    const id = tiers?.[tier];
    if (id !== undefined) return { provider: server, server, id };
  }
  throw noKey();
}

/** The models of the tiers at a provider or server. Undefined: they are not known. */
export function findTiers(provider: string, { tiers, aiTiers, servers }: NameRules): Tiers | undefined {
  if (servers && Object.hasOwn(servers, provider)) return servers[provider]!.tiers;
  return provider === 'ai' ? aiTiers : (tiers as Readonly<Record<string, Tiers>>)[provider];
}

/** A name that begins with a vendor that is no provider of Klaus. */
function resolveVendor(name: string, { access, servers = {} }: NameRules): Target {
  const hasOnlyRouter = PROVIDER_NAMES.every((each) => (access[each] !== undefined) === (each === ROUTER));
  const isMisspelled =
    toNearest(name.slice(0, name.indexOf('/')), [...PROVIDER_NAMES, ...LOCAL_FAMILIES, ...Object.keys(servers)]) !==
    undefined;
  if (!hasOnlyRouter || isMisspelled) throw unknown(name);
  return { provider: ROUTER, id: name };
}

/** The id with its vendor of a model that OpenRouter offers. */
function findAtVendor(name: string): string | undefined {
  return Object.keys(PROVIDERS[ROUTER].models).find((id) => id.slice(id.indexOf('/') + 1) === name);
}

function withKey(target: { provider: ProviderName; id: string }, { access }: NameRules): Target {
  const { provider, id } = target;
  if (access[provider] !== undefined) return target;
  const through = PROVIDERS[provider].through ?? (findEntry(ROUTER, `${provider}/${id}`) && ROUTER);
  if (through !== undefined && access[through] === 'key') {
    const { title } = PROVIDER_TABLE[through];
    return {
      provider: through,
      id: `${provider}/${id}`,
      notice: `${toList(keyVariables(provider))} is not set: ${provider}/${id} goes through ${title} as ${through}/${provider}/${id}.`,
    };
  }
  const others = PROVIDER_NAMES.filter((candidate) => access[candidate] === 'key');
  if (others.length === 0) throw noKey();
  throw new KlausError('auth', `${provider}/${id} needs ${toList(keyVariables(provider))}, which is not set.`, {
    hint: `Store it with \`klaus login ${provider}\`, or choose a model of ${others.join(' or ')}.`,
  });
}

function noKey(): KlausError {
  const variables = toList([...keyVariables(), 'OPENAI_BASE_URL']);
  return new KlausError('auth', `No model is set up: use \`klaus login\`, or set one of ${variables}.`, {
    hint: '`klaus login` takes a key, a server by its base URL, or a model on this machine. `klaus demo` shows a complete run with a scripted model.',
  });
}

/** `a, b or c`. */
function toList(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter((part) => part !== '').join(' or ');
}

function unknown(name: string): KlausError {
  const known = listModels();
  const bare = known.filter((full) => full.split('/').length === 2).map((full) => full.slice(full.indexOf('/') + 1));
  const vendor = known.filter((full) => full.startsWith('openrouter/')).map((full) => full.slice('openrouter/'.length));
  const match = vendor.includes(name)
    ? `openrouter/${name}`
    : toNearest(name, name.includes('/') ? known : [...TIERS, ...bare]);
  return new KlausError('model.unknown', `No model is called ${JSON.stringify(name)}.`, {
    hint: match
      ? `Did you mean ${match}?`
      : `Write a tier (${TIERS.join(', ')}), or a full name such as anthropic/${PROVIDERS.anthropic.tiers.sonnet}.`,
  });
}
