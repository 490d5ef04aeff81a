import { KlausError, toNearest } from '@klaus/core/protocol';
import { findEntry, listModels } from './catalog/catalog.ts';

export const PROVIDERS = ['anthropic', 'openai', 'openrouter'] as const;
export type Provider = (typeof PROVIDERS)[number];

export const TIERS = ['opus', 'sonnet', 'haiku'] as const;
export type Tier = (typeof TIERS)[number];

/** The model of each tier. Strongest, everyday, cheap. */
export const DEFAULT_TIERS: Readonly<Record<Provider, Readonly<Record<Tier, string>>>> = {
  anthropic: { opus: 'claude-opus-5-5', sonnet: 'claude-sonnet-5-5', haiku: 'claude-haiku-5-5' },
  openai: { opus: 'gpt-6-sol', sonnet: 'gpt-6.1-terra', haiku: 'gpt-6-luna' },
  openrouter: {
    opus: 'anthropic/claude-opus-5.5',
    sonnet: 'anthropic/claude-sonnet-5.5',
    haiku: 'anthropic/claude-haiku-5.5',
  },
};

/** What a name stands for. */
export interface Target {
  provider: Provider | 'scripted';
  /** The provider's own id or the script's name. */
  id: string;
  /** Something that the user should know about the choice. */
  notice?: string;
}

export interface NameRules {
  /** Which providers have a key. */
  keys: Readonly<Record<Provider, boolean>>;
  /** A server of one's own answers `openai/…` without a key. */
  openaiServer: boolean;
  tiers: Readonly<Record<Provider, Readonly<Record<Tier, string>>>>;
}

const VARIABLES: Readonly<Record<Provider, string>> = {
  anthropic: 'ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN',
  openai: 'OPENAI_API_KEY',
  openrouter: 'OPENROUTER_API_KEY',
};

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
      PROVIDERS.find((candidate) => rules.keys[candidate]) ?? (rules.openaiServer ? 'openai' : undefined);
    if (!provider) throw noKey();
    return { provider, id: rules.tiers[provider][name] };
  }
  const provider = PROVIDERS.find((candidate) => findEntry(candidate, name));
  if (!provider) throw unknown(name);
  return withKey({ provider, id: name }, rules);
}

function withKey(target: { provider: Provider; id: string }, { keys, openaiServer }: NameRules): Target {
  const { provider, id } = target;
  if (keys[provider] || (provider === 'openai' && openaiServer)) return target;
  if (provider === 'openai' && keys.openrouter) {
    const through = `openrouter/openai/${id}`;
    return {
      provider: 'openrouter',
      id: `openai/${id}`,
      notice: `OPENAI_API_KEY is not set: openai/${id} goes through OpenRouter as ${through}.`,
    };
  }
  const others = PROVIDERS.filter((candidate) => keys[candidate]);
  if (others.length === 0) throw noKey();
  throw new KlausError('auth', `${provider}/${id} needs ${VARIABLES[provider]}, which is not set.`, {
    hint: `Set it, or choose a model of ${others.join(' or ')}.`,
  });
}

function noKey(): KlausError {
  return new KlausError(
    'auth',
    'No model key is set: set one of ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, OPENAI_API_KEY or OPENROUTER_API_KEY.',
    { hint: 'Without a key, `klaus demo` shows a whole run with a scripted model.' },
  );
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
      : `Write a tier (${TIERS.join(', ')}), or a full name such as anthropic/${DEFAULT_TIERS.anthropic.sonnet}.`,
  });
}

function isProvider(text: string): text is Provider {
  return (PROVIDERS as readonly string[]).includes(text);
}

function isTier(text: string): text is Tier {
  return (TIERS as readonly string[]).includes(text);
}
