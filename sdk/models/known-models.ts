import {
  accessTo,
  findEntry,
  isAllowed,
  listModels,
  PROVIDERS,
  SNAPSHOT_DATE,
  toModelInfo,
  toServerModelInfo,
  type ModelsOptions,
} from '@klaus/adapters/models';
import { PROVIDER_NAMES, TIERS, type Tier } from '@klaus/core/provider-table';
import type { ModelInfo } from '@klaus/core/agent';
import type { Configuration } from '../config/configuration.ts';
import { toModelsOptions } from '../engine/engine-settings.ts';

/** A model of the catalog, or one of a configured server. */
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
  return { models: [...models, ...listServerModels(options)], asOf: SNAPSHOT_DATE };
}

/** The models of configured servers that have an entry or a tier of their own. Other ids are not known. */
function listServerModels({ servers = {}, ...options }: Omit<ModelsOptions, 'onNotice'>): KnownModel[] {
  return Object.entries(servers).flatMap(([provider, { models = {}, tiers = {} }]) =>
    [...new Set([...Object.keys(models), ...Object.values(tiers)])]
      .filter((id) => isAllowed(`${provider}/${id}`, options.allow))
      .map((id): KnownModel => ({
        ...toServerModelInfo(servers[provider]!, { id, price: options.prices?.[`${provider}/${id}`] }),
        ...{ name: `${provider}/${id}`, provider, usable: true, tier: TIERS.find((each) => tiers[each] === id) },
      })),
  );
}
