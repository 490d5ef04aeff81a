import type { Model } from '@klaus/core/agent';
import type { ProviderKey, ProviderName, Tier } from '@klaus/core/provider-table';
import type { AcceptedSampling, CatalogEntry } from './catalog/catalog-entry.ts';
import type { HttpModelOptions } from './wire/http-model.ts';

/** The keys of the providers that are set, by the last step of their setting. */
export type ModelKeys = { readonly [K in ProviderKey]?: string };

export interface ModelOptions extends HttpModelOptions {
  /** Undefined for an id that the catalog does not know. */
  entry: CatalogEntry | undefined;
  keys: ModelKeys;
}

/** What a model accepts that is not in the catalog. */
export interface Assumed {
  accepted: AcceptedSampling;
  /** Default true. */
  images?: boolean;
}

/** Everything about a provider of models except its settings, which are in `PROVIDER_TABLE`. */
export interface Provider {
  /** Address of its API, without a final slash. */
  readonly baseUrl: string;
  readonly tiers: Readonly<Record<Tier, string>>;
  /** Its models in the catalog by id. */
  readonly models: Readonly<Record<string, CatalogEntry>>;
  /** What is assumed of a model that is not in the catalog. */
  assume(at: Pick<ModelOptions, 'baseUrl' | 'id'>): Assumed;
  /** True when a server at a configured base URL needs no key. Default false. */
  readonly keyless?: boolean;
  /** The provider that offers the same models as `provider/id`, used while this one has no key. */
  readonly through?: ProviderName;
  createModel(options: ModelOptions): Model;
}

export function defineProvider(provider: Provider): Provider {
  return provider;
}
