import { UP_TO_HIGH } from '../catalog/catalog-entry.ts';
import { defineProvider } from '../provider.ts';
import { createAnthropicModel } from './anthropic-model.ts';
import { ANTHROPIC_MODELS } from './models.ts';

export const anthropic = defineProvider({
  baseUrl: 'https://api.anthropic.com',
  tiers: { opus: 'claude-opus-5-5', sonnet: 'claude-sonnet-5-5', haiku: 'claude-haiku-5-5' },
  models: ANTHROPIC_MODELS,
  // Every model since 4.6 has these levels, and since 4.7 none accepts a temperature.
  assume: () => ({ accepted: { efforts: [...UP_TO_HIGH, 'max'] } }),
  createModel: ({ keys, entry, ...model }) =>
    createAnthropicModel({
      ...model,
      apiKey: keys.anthropic || keys.anthropicToken || '',
      keyHeader: keys.anthropic ? undefined : 'authorization',
      dialect: { cacheMark: true, adaptiveThinking: entry?.adaptiveThinking ?? false },
    }),
});
