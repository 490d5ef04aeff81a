import { defineProvider } from '../provider.ts';
import { findDialect, findFamily } from '../dialect/find-dialect.ts';
import { withCutCheck } from '../local/with-cut-check.ts';
import { OPENAI_MODELS } from './models.ts';
import { createOpenaiModel, createResponsesModel } from './openai-model.ts';

export const openai = defineProvider({
  baseUrl: 'https://api.openai.com/v1',
  tiers: { opus: 'gpt-6-sol', sonnet: 'gpt-6.1-terra', haiku: 'gpt-6-luna' },
  models: OPENAI_MODELS,
  // These are mostly models of compatible servers.
  assume: findDialect,
  keyless: true,
  through: 'openrouter',
  createModel({ keys, entry, ...model }) {
    // Compatible servers rarely support Responses.
    const wire = entry?.responses && findFamily(model.baseUrl) === 'openai' ? 'responses' : 'chat';
    const { family, server, dialect } = findDialect({ ...model, wire });
    // A compatible server that needs no key gets a placeholder.
    const options = { ...model, apiKey: keys.openai || 'none', keyHeader: server?.keyHeader, family, dialect };
    const created = wire === 'responses' ? createResponsesModel(options) : createOpenaiModel(options);
    // Services count what they are sent.
    return family === undefined || server?.program ? withCutCheck(created, model) : created;
  },
});
