import type { ModelInfo, Price } from '@klaus/core/agent';
import type { ProviderName } from '@klaus/core/provider-table';
import { PROVIDERS } from '../providers.ts';
import type { Assumed } from '../provider.ts';
import type { CatalogCost, CatalogEntry } from './catalog-entry.ts';

export const SNAPSHOT_DATE = '2026-11-21';

/** The bundled entry, or undefined for an id that the catalog does not know. */
export function findEntry(provider: ProviderName, id: string): CatalogEntry | undefined {
  const { models } = PROVIDERS[provider];
  return Object.hasOwn(models, id) ? models[id] : undefined;
}

/** Every known model as a full name, `provider/id`. */
export function listModels(): string[] {
  return Object.entries(PROVIDERS).flatMap(([provider, { models }]) =>
    Object.keys(models).map((id) => `${provider}/${id}`),
  );
}

/** Assumed sizes of a model that is not in the catalog; every current model has at least these. */
const UNKNOWN: ModelInfo = { contextWindow: 128_000, maxOutputTokens: 32_000, images: true, prices: [] };

/**
 * @param options.price A configured price. It replaces that of the catalog and has no steps.
 * @param options.assumed What a model without an entry is assumed to accept.
 */
export function toModelInfo(
  entry: CatalogEntry | undefined,
  { price, assumed }: { price?: Price; assumed?: Assumed } = {},
): ModelInfo {
  const { efforts, maxTemperature } = entry ?? assumed?.accepted ?? {};
  const base: ModelInfo = entry
    ? {
        contextWindow: entry.limit.context,
        maxOutputTokens: entry.limit.output,
        images: entry.images,
        prices: toSteps(entry),
      }
    : { ...UNKNOWN, images: assumed?.images ?? UNKNOWN.images };
  // A model with levels of effort reasons. Its provider streams a summary of that, or nothing.
  const hidesReasoning = efforts !== undefined && efforts.length > 0;
  const info = { ...base, efforts, maxTemperature, hidesReasoning };
  return price ? { ...info, prices: [{ above: 0, price }] } : info;
}

function toSteps({ cost }: CatalogEntry): ModelInfo['prices'] {
  if (!cost) return [];
  const tiers = (cost.tiers ?? []).toSorted((a, b) => a.size - b.size);
  return [{ above: 0, price: toPrice(cost) }, ...tiers.map((tier) => ({ above: tier.size, price: toPrice(tier) }))];
}

/** A price step in the form that the engine uses; missing cache prices default to a higher price, never to zero. */
function toPrice({ input, output, cache_read: read, cache_write: write }: Omit<CatalogCost, 'tiers'>): Price {
  return { input, output, cacheRead: read ?? input, cacheWrite: write ?? input * 1.25 };
}
