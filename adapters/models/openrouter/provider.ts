import { UP_TO_XHIGH } from '../catalog/catalog-entry.ts';
import { findDialect } from '../dialect/find-dialect.ts';
import { createOpenaiModel } from '../openai/openai-model.ts';
import { defineProvider } from '../provider.ts';
import { OPENROUTER_MODELS } from './models.ts';

export const openrouter = defineProvider({
  baseUrl: 'https://openrouter.ai/api/v1',
  tiers: {
    opus: 'anthropic/claude-opus-5.5',
    sonnet: 'anthropic/claude-sonnet-5.5',
    haiku: 'anthropic/claude-haiku-5.5',
  },
  models: OPENROUTER_MODELS,
  // OpenRouter ignores what the model does not support.
  assume: () => ({ accepted: { efforts: UP_TO_XHIGH, maxTemperature: 2 } }),
  createModel({ keys, entry: _, ...model }) {
    const { family, dialect } = findDialect({ ...model, family: 'openrouter' });
    return createOpenaiModel({ ...model, apiKey: keys.openrouter!, family, dialect });
  },
});
