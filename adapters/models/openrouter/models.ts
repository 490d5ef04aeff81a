import { ANTHROPIC_MODELS } from '../anthropic/models.ts';
import { MILLION, SMALL, UP_TO_MAX, type CatalogEntry } from '../catalog/catalog-entry.ts';
import { OPENAI_MODELS } from '../openai/models.ts';

const CLAUDE_5_5 = { limit: MILLION, images: true, efforts: UP_TO_MAX };

// Source: models.dev (MIT). OpenRouter passes the vendors' prices through and reports the exact cost of
// every request, so these figures only serve to reserve budget.
export const OPENROUTER_MODELS: Record<string, CatalogEntry> = {
  ...Object.fromEntries(
    Object.entries(OPENAI_MODELS).map(([id, { responses: _, ...entry }]) => [`openai/${id}`, entry]),
  ),
  'anthropic/claude-opus-5.5': { ...CLAUDE_5_5, cost: { input: 4, output: 20, cache_read: 0.2 } },
  'anthropic/claude-sonnet-5.5': { ...CLAUDE_5_5, cost: { input: 2, output: 10, cache_read: 0.1 } },
  'anthropic/claude-haiku-5.5': {
    ...CLAUDE_5_5,
    cost: ANTHROPIC_MODELS['claude-haiku-5-5']?.cost,
  },
  'anthropic/claude-haiku-4.5': {
    limit: SMALL,
    images: true,
    maxTemperature: 1,
    cost: { input: 1, output: 5, cache_read: 0.1 },
  },
  // OpenAI itself has retired these two.
  'openai/gpt-4': {
    limit: { context: 8_192, output: 4_096 },
    images: false,
    maxTemperature: 2,
    cost: { input: 30, output: 60 },
  },
  'openai/gpt-4-turbo': {
    limit: { context: 128_000, output: 4_096 },
    images: true,
    maxTemperature: 2,
    cost: { input: 10, output: 30 },
  },
  'deepseek/deepseek-v4-pro': {
    limit: { context: 1_048_576, output: 384_000 },
    images: false,
    efforts: ['high', 'xhigh'],
    maxTemperature: 2,
    cost: { input: 0.435, output: 0.87, cache_read: 0.003625 },
  },
  'moonshotai/kimi-k2.7-code': {
    limit: { context: 262_144, output: 16_384 },
    images: true,
    maxTemperature: 2,
    cost: { input: 0.74, output: 3.5, cache_read: 0.15 },
  },
  'qwen/qwen3-coder-plus': {
    limit: { context: 1_000_000, output: 65_536 },
    images: false,
    maxTemperature: 2,
    cost: { input: 0.65, output: 3.25, cache_read: 0.13, cache_write: 0.8125 },
  },
  'z-ai/glm-5.2': {
    limit: { context: 1_048_576, output: 32_768 },
    images: false,
    efforts: ['high', 'xhigh'],
    maxTemperature: 2,
    cost: { input: 0.93, output: 3, cache_read: 0.18 },
  },
};
