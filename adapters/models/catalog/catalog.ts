import type { ModelInfo, Price } from '@klaus/core/agent';
import type { ProviderName } from '@klaus/core/provider-table';
import { PROVIDERS } from '../providers.ts';
import type { CatalogCost, CatalogEntry } from './catalog-entry.ts';

/** The date of the figures in the catalog. */
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

/** What is assumed of a model that the snapshot does not know: sizes that every current model has. */
const UNKNOWN: ModelInfo = { contextWindow: 128_000, maxOutputTokens: 32_000, images: true, prices: [] };

/**
 * @param price A configured price; it stands above the snapshot's and has no steps.
 */
export function toModelInfo(entry: CatalogEntry | undefined, price?: Price): ModelInfo {
  const base: ModelInfo = entry
    ? {
        contextWindow: entry.limit.context,
        maxOutputTokens: entry.limit.output,
        images: entry.images,
        prices: toSteps(entry),
      }
    : UNKNOWN;
  return price ? { ...base, prices: [{ above: 0, price }] } : base;
}

function toSteps({ cost }: CatalogEntry): ModelInfo['prices'] {
  if (!cost) return [];
  const tiers = (cost.tiers ?? []).toSorted((a, b) => a.size - b.size);
  return [{ above: 0, price: toPrice(cost) }, ...tiers.map((tier) => ({ above: tier.size, price: toPrice(tier) }))];
}

/** One price step as the agent counts with it; missing cache prices are filled in upwards, never to zero. */
function toPrice({ input, output, cache_read: read, cache_write: write }: Omit<CatalogCost, 'tiers'>): Price {
  return { input, output, cacheRead: read ?? input, cacheWrite: write ?? input * 1.25 };
}
