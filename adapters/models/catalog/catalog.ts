import type { ModelInfo, Price } from '@klaus/core/agent';
import { type CatalogEntry, type CatalogProvider, SNAPSHOT, toPrice } from './snapshot.ts';

/** The bundled entry, or undefined for an id that the snapshot does not know. */
export function findEntry(provider: CatalogProvider, id: string): CatalogEntry | undefined {
  return Object.hasOwn(SNAPSHOT[provider], id) ? SNAPSHOT[provider][id] : undefined;
}

/** Every known model as a full name, `provider/id`. */
export function listModels(): string[] {
  return Object.entries(SNAPSHOT).flatMap(([provider, entries]) =>
    Object.keys(entries).map((id) => `${provider}/${id}`),
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
