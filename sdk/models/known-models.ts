import { optional } from '@klaus/core/optional';
import {
  DEFAULT_TIERS,
  findEntry,
  listModels,
  PROVIDERS,
  SNAPSHOT_DATE,
  TIERS,
  toModelInfo,
  type Provider,
  type Tier,
} from '@klaus/adapters/models';
import type { ModelInfo } from '@klaus/core/agent';
import type { Configuration } from '../config/configuration.ts';
import { toModelsOptions } from '../engine/engine-settings.ts';

/** A model of the catalog. */
export interface KnownModel extends ModelInfo {
  /** Full name, `provider/id`. */
  name: string;
  provider: string;
  /** The tier that means it at its provider. */
  tier?: Tier;
  /** Date on which the provider ends it. */
  until?: string;
  /** True when a key for its provider is here. */
  usable: boolean;
}

/** The models of the catalog that the configuration allows, with the date of the catalog. */
export function listKnownModels(configuration: Configuration): { models: KnownModel[]; asOf: string } {
  const { keys, allow, prices, tiers, baseUrls } = toModelsOptions(configuration);
  const usable: Record<Provider, boolean> = {
    anthropic: Boolean(keys.anthropicApiKey ?? keys.anthropicAuthToken),
    openai: Boolean(keys.openaiApiKey ?? baseUrls?.openai),
    openrouter: Boolean(keys.openrouterApiKey),
  };
  const isAllowed = (full: string): boolean =>
    allow === undefined ||
    allow.some((entry) => (entry.endsWith('*') ? full.startsWith(entry.slice(0, -1)) : full === entry));
  const models = listModels()
    .filter(isAllowed)
    .map((name): KnownModel => {
      const provider = PROVIDERS.find((candidate) => name.startsWith(`${candidate}/`))!;
      const id = name.slice(provider.length + 1);
      const entry = findEntry(provider, id);
      const tier = TIERS.find((each) => (tiers?.[provider]?.[each] ?? DEFAULT_TIERS[provider][each]) === id);
      return {
        ...toModelInfo(entry, prices?.[name]),
        name,
        provider,
        usable: usable[provider],
        ...optional({ tier, until: entry?.until }),
      };
    });
  return { models, asOf: SNAPSHOT_DATE };
}
