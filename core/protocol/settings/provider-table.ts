/** Names for a model of each strength at any provider: strongest, everyday, cheap. */
export const TIERS = ['opus', 'sonnet', 'haiku'] as const;
export type Tier = (typeof TIERS)[number];

/** What the settings need to know of a provider of models. */
export interface ProviderEntry {
  /** Its own spelling of its name. */
  readonly title: string;
  /** Its keys by the last step of their setting; the first that is set is used. */
  readonly keys: Readonly<Record<string, { readonly env: string; readonly description: string }>>;
  /** Variable of its base URL. */
  readonly baseUrlEnv: string;
}

/**
 * Every provider of models, in the order in which a tier chooses one that has a key. Its settings and their variables
 * derive from its entry. Everything else about it is in its folder of `adapters/models`.
 */
export const PROVIDER_TABLE = {
  anthropic: {
    title: 'Anthropic',
    keys: {
      anthropic: { env: 'ANTHROPIC_API_KEY', description: 'Key of the Anthropic API.' },
      anthropicToken: {
        env: 'ANTHROPIC_AUTH_TOKEN',
        description: 'Bearer token for the Anthropic API, instead of a key.',
      },
    },
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
  },
  openai: {
    title: 'OpenAI',
    keys: { openai: { env: 'OPENAI_API_KEY', description: 'Key of the OpenAI API.' } },
    baseUrlEnv: 'OPENAI_BASE_URL',
  },
  openrouter: {
    title: 'OpenRouter',
    keys: { openrouter: { env: 'OPENROUTER_API_KEY', description: 'Key of the OpenRouter API.' } },
    baseUrlEnv: 'OPENROUTER_BASE_URL',
  },
} as const satisfies Readonly<Record<string, ProviderEntry>>;

export type ProviderName = keyof typeof PROVIDER_TABLE;
/** The last step of a setting `keys.…` that holds the key of a provider. */
export type ProviderKey = { [P in ProviderName]: keyof (typeof PROVIDER_TABLE)[P]['keys'] }[ProviderName];

export const PROVIDER_NAMES = Object.keys(PROVIDER_TABLE) as readonly ProviderName[];
