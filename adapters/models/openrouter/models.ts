import { optional } from '@klaus/core/optional';
import { ANTHROPIC_MODELS } from '../anthropic/models.ts';
import { MILLION, SMALL, type CatalogEntry } from '../catalog/catalog-entry.ts';
import { OPENAI_MODELS } from '../openai/models.ts';

// Source: models.dev (MIT). OpenRouter passes the vendors' prices through and reports the exact cost of
// every request, so these figures only serve to reserve money beforehand.
export const OPENROUTER_MODELS: Record<string, CatalogEntry> = {
  ...Object.fromEntries(
    Object.entries(OPENAI_MODELS).map(([id, { responses: _, ...entry }]) => [`openai/${id}`, entry]),
  ),
  'anthropic/claude-opus-5.5': { limit: MILLION, images: true, cost: { input: 4, output: 20, cache_read: 0.2 } },
  'anthropic/claude-sonnet-5.5': { limit: MILLION, images: true, cost: { input: 2, output: 10, cache_read: 0.1 } },
  'anthropic/claude-haiku-5.5': {
    limit: MILLION,
    images: true,
    ...optional({ cost: ANTHROPIC_MODELS['claude-haiku-5-5']?.cost }),
  },
  'anthropic/claude-haiku-4.5': { limit: SMALL, images: true, cost: { input: 1, output: 5, cache_read: 0.1 } },
  'deepseek/deepseek-v4-pro': {
    limit: { context: 1_048_576, output: 384_000 },
    images: false,
    cost: { input: 0.435, output: 0.87, cache_read: 0.003625 },
  },
  'moonshotai/kimi-k2.7-code': {
    limit: { context: 262_144, output: 16_384 },
    images: true,
    cost: { input: 0.74, output: 3.5, cache_read: 0.15 },
  },
  'qwen/qwen3-coder-plus': {
    limit: { context: 1_000_000, output: 65_536 },
    images: false,
    cost: { input: 0.65, output: 3.25, cache_read: 0.13, cache_write: 0.8125 },
  },
  'z-ai/glm-5.2': {
    limit: { context: 1_048_576, output: 32_768 },
    images: false,
    cost: { input: 0.93, output: 3, cache_read: 0.18 },
  },
};
