import type { Model, ModelInfo } from '@klaus/core/agent';
import type { ProviderKey, ProviderName, Tier } from '@klaus/core/provider-table';
import type { CatalogEntry } from './catalog/catalog-entry.ts';

/** The keys of the providers that are set, by the last step of their setting. */
export type ModelKeys = { readonly [K in ProviderKey]?: string | undefined };

/** The input from which a provider creates a client for one of its models. */
export interface ModelOptions {
  /** Full name, such as `anthropic/claude-sonnet-5-5`. */
  name: string;
  /** The provider's id. */
  id: string;
  info: ModelInfo;
  /** Undefined for an id that the catalog does not know. */
  entry: CatalogEntry | undefined;
  keys: ModelKeys;
  baseUrl: string;
}

/** Everything about a provider of models except its settings, which are in `PROVIDER_TABLE`. */
export interface Provider {
  /** Address of its API, without a final slash. */
  readonly baseUrl: string;
  /** The id of each tier. */
  readonly tiers: Readonly<Record<Tier, string>>;
  /** Its models in the catalog by id. */
  readonly models: Readonly<Record<string, CatalogEntry>>;
  /** True when a server at a configured base URL needs no key. Default false. */
  readonly keyless?: boolean;
  /** The provider that offers the same models as `provider/id`, used while this one has no key. */
  readonly through?: ProviderName;
  createModel(options: ModelOptions): Model;
}

/** Declares a provider. */
export function defineProvider(provider: Provider): Provider {
  return provider;
}
