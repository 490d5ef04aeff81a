import {
  accessTo,
  findEntry,
  isAllowed,
  listModels,
  PROVIDERS,
  SNAPSHOT_DATE,
  toModelInfo,
} from '@klaus/adapters/models';
import { PROVIDER_NAMES, TIERS, type Tier } from '@klaus/core/provider-table';
import type { ModelInfo } from '@klaus/core/agent';
import type { Configuration } from '../config/configuration.ts';
import { toModelsOptions } from '../engine/engine-settings.ts';

/** A model of the catalog. */
export interface KnownModel extends ModelInfo {
  /** Full name, `provider/id`. */
  name: string;
  provider: string;
  /** Its tier at its provider. */
  tier?: Tier;
  /** Date on which the provider ends it. */
  until?: string;
  /** True when a key of its provider is set, or none is needed. */
  usable: boolean;
}

export function listKnownModels(configuration: Configuration): { models: KnownModel[]; asOf: string } {
  const options = toModelsOptions(configuration);
  const models = listModels()
    .filter((name) => isAllowed(name, options.allow))
    .map((name): KnownModel => {
      const provider = PROVIDER_NAMES.find((candidate) => name.startsWith(`${candidate}/`))!;
      const id = name.slice(provider.length + 1);
      const entry = findEntry(provider, id);
      const tier = TIERS.find((each) => (options.tiers?.[provider]?.[each] ?? PROVIDERS[provider].tiers[each]) === id);
      return {
        ...toModelInfo(entry, { price: options.prices?.[name] }),
        name,
        provider,
        usable: accessTo(provider, options) !== undefined,
        tier,
        until: entry?.until,
      };
    });
  return { models, asOf: SNAPSHOT_DATE };
}
