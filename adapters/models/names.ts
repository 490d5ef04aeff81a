import { KlausError, toNearest } from '@klaus/core/protocol';
import { PROVIDER_NAMES, PROVIDER_TABLE, TIERS, type ProviderName, type Tier } from '@klaus/core/provider-table';
import { findEntry, listModels } from './catalog/catalog.ts';
import { keyVariables, PROVIDERS } from './providers.ts';

/** What a name stands for. */
export interface Target {
  provider: ProviderName | 'scripted';
  /** The provider's own id or the script's name. */
  id: string;
  /** Something that the user should know about the choice. */
  notice?: string;
}

export interface NameRules {
  /** How each provider can be reached; see `accessTo`. */
  access: Readonly<Record<ProviderName, 'key' | 'server' | undefined>>;
  tiers: Readonly<Record<ProviderName, Readonly<Record<Tier, string>>>>;
}

/**
 * Finds what a name stands for:
 * - `anthropic/ID`, `openai/ID`, `openrouter/VENDOR/ID`, `scripted/NAME`, whether the id is known or not
 * - a tier, within the first provider that has a key
 * - a bare id that the catalog knows
 *
 * @throws KlausError `model.unknown` with the nearest match, `auth` when no key fits.
 */
export function resolveName(name: string, rules: NameRules): Target {
  const slash = name.indexOf('/');
  if (slash >= 0) {
    const provider = name.slice(0, slash);
    const id = name.slice(slash + 1);
    if (id !== '' && provider === 'scripted') return { provider, id };
    if (id !== '' && isProvider(provider)) return withKey({ provider, id }, rules);
    throw unknown(name);
  }
  if (isTier(name)) {
    const provider =
      PROVIDER_NAMES.find((candidate) => rules.access[candidate] === 'key') ??
      PROVIDER_NAMES.find((candidate) => rules.access[candidate] === 'server');
    if (!provider) throw noKey();
    return { provider, id: rules.tiers[provider][name] };
  }
  const provider = PROVIDER_NAMES.find((candidate) => findEntry(candidate, name));
  if (!provider) throw unknown(name);
  return withKey({ provider, id: name }, rules);
}

function withKey(target: { provider: ProviderName; id: string }, { access }: NameRules): Target {
  const { provider, id } = target;
  if (access[provider] !== undefined) return target;
  const { through } = PROVIDERS[provider];
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
    hint: `Set it, or choose a model of ${others.join(' or ')}.`,
  });
}

function noKey(): KlausError {
  return new KlausError('auth', `No model key is set: set one of ${toList(keyVariables())}.`, {
    hint: 'Without a key, `klaus demo` shows a whole run with a scripted model.',
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

function isProvider(text: string): text is ProviderName {
  return Object.hasOwn(PROVIDERS, text);
}

function isTier(text: string): text is Tier {
  return (TIERS as readonly string[]).includes(text);
}
