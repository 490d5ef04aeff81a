import { MILLION, SMALL, UP_TO_HIGH, UP_TO_MAX, type CatalogEntry } from '../catalog/catalog-entry.ts';

const CURRENT = { limit: MILLION, images: true, adaptiveThinking: true, efforts: UP_TO_MAX };
const OLD = { limit: SMALL, images: true, maxTemperature: 1 };
const OPUS_4_5 = { ...OLD, efforts: UP_TO_HIGH, cost: { input: 5, output: 25, cache_read: 0.5 } };
const SONNET_4_5 = { ...OLD, cost: { input: 3, output: 15, cache_read: 0.3 }, until: '2026-11-30' };
const HAIKU_4_5 = { ...OLD, cost: { input: 1, output: 5, cache_read: 0.1 } };

// Sources: Anthropic's model pages and pricing, the ids of its SDK 1.12; models.dev (MIT) for the older
// ids. Current models refuse a temperature:
// https://platform.claude.com/docs/en/build-with-claude/effort lists their levels. The `*-4-5` ids are being retired: they are listed with their date, and no default uses them.
export const ANTHROPIC_MODELS: Record<string, CatalogEntry> = {
  'claude-fable-5-2': { ...CURRENT, cost: { input: 8, output: 40, cache_read: 0.2 } },
  'claude-opus-5-5': { ...CURRENT, cost: { input: 4, output: 20, cache_read: 0.2 } },
  'claude-sonnet-5-5': { ...CURRENT, cost: { input: 2, output: 10, cache_read: 0.1 } },
  'claude-haiku-5-5': {
    ...CURRENT,
    cost: {
      input: 0.1,
      output: 0.5,
      cache_read: 0.01,
      tiers: [{ size: 100_000, input: 0.5, output: 2.5, cache_read: 0.05 }],
    },
  },
  'claude-opus-5': { ...CURRENT, cost: { input: 5, output: 25, cache_read: 0.5 } },
  'claude-sonnet-5': { ...CURRENT, cost: { input: 2, output: 10, cache_read: 0.2 } },
  'claude-opus-4-5': OPUS_4_5,
  'claude-opus-4-5-20251101': OPUS_4_5,
  'claude-sonnet-4-5': SONNET_4_5,
  'claude-sonnet-4-5-20250929': SONNET_4_5,
  'claude-haiku-4-5': HAIKU_4_5,
  'claude-haiku-4-5-20251001': HAIKU_4_5,
};
