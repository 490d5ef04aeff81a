import { defineProvider } from '../provider.ts';
import { OPENAI_MODELS } from './models.ts';
import { createOpenaiModel, createResponsesModel } from './openai-model.ts';

export const openai = defineProvider({
  baseUrl: 'https://api.openai.com/v1',
  tiers: { opus: 'gpt-6-sol', sonnet: 'gpt-6.1-terra', haiku: 'gpt-6-luna' },
  models: OPENAI_MODELS,
  // These are mostly models of compatible servers. Their names do not reveal whether they reason.
  accepted: { maxTemperature: 2 },
  keyless: true,
  through: 'openrouter',
  createModel({ keys, entry, ...model }) {
    const isOpenai = /^https:\/\/(?:[a-z]+\.)?api\.openai\.com(?:[:/]|$)/.test(model.baseUrl);
    // A compatible server that needs no key gets a placeholder.
    const apiKey = keys.openai || 'none';
    // Compatible servers rarely support Responses.
    if (isOpenai && entry?.responses) return createResponsesModel({ ...model, apiKey, isOpenai });
    return createOpenaiModel({ ...model, apiKey, dialect: isOpenai ? 'openai' : 'compatible' });
  },
});
