import { MILLION, SMALL, type CatalogEntry } from '../catalog/catalog-entry.ts';

// Sources: Anthropic's model pages and pricing, the ids of its SDK 1.12; models.dev (MIT) for the older
// ids. The `*-4-5` ids are being retired: they are listed with their date, and no default uses them.
export const ANTHROPIC_MODELS: Record<string, CatalogEntry> = {
  'claude-fable-5-2': {
    limit: MILLION,
    images: true,
    cost: { input: 8, output: 40, cache_read: 0.2 },
    adaptiveThinking: true,
  },
  'claude-opus-5-5': {
    limit: MILLION,
    images: true,
    cost: { input: 4, output: 20, cache_read: 0.2 },
    adaptiveThinking: true,
  },
  'claude-sonnet-5-5': {
    limit: MILLION,
    images: true,
    cost: { input: 2, output: 10, cache_read: 0.1 },
    adaptiveThinking: true,
  },
  'claude-haiku-5-5': {
    limit: MILLION,
    images: true,
    cost: {
      input: 0.1,
      output: 0.5,
      cache_read: 0.01,
      tiers: [{ size: 100_000, input: 0.5, output: 2.5, cache_read: 0.05 }],
    },
    adaptiveThinking: true,
  },
  'claude-opus-5': {
    limit: MILLION,
    images: true,
    cost: { input: 5, output: 25, cache_read: 0.5 },
    adaptiveThinking: true,
  },
  'claude-sonnet-5': {
    limit: MILLION,
    images: true,
    cost: { input: 2, output: 10, cache_read: 0.2 },
    adaptiveThinking: true,
  },
  'claude-opus-4-5': { limit: SMALL, images: true, cost: { input: 5, output: 25, cache_read: 0.5 } },
  'claude-opus-4-5-20251101': { limit: SMALL, images: true, cost: { input: 5, output: 25, cache_read: 0.5 } },
  'claude-sonnet-4-5': {
    limit: SMALL,
    images: true,
    cost: { input: 3, output: 15, cache_read: 0.3 },
    until: '2026-11-30',
  },
  'claude-sonnet-4-5-20250929': {
    limit: SMALL,
    images: true,
    cost: { input: 3, output: 15, cache_read: 0.3 },
    until: '2026-11-30',
  },
  'claude-haiku-4-5': { limit: SMALL, images: true, cost: { input: 1, output: 5, cache_read: 0.1 } },
  'claude-haiku-4-5-20251001': { limit: SMALL, images: true, cost: { input: 1, output: 5, cache_read: 0.1 } },
};
