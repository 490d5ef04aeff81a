export { ANTHROPIC_URL, createAnthropicModel, type AnthropicModelOptions } from './anthropic/anthropic-model.ts';
export { findEntry, listModels, toModelInfo } from './catalog/catalog.ts';
export { SNAPSHOT_DATE, type CatalogEntry, type CatalogProvider } from './catalog/snapshot.ts';
export { createModels, type ModelKeys, type ModelsOptions, type ScriptedServer } from './models.ts';
export { DEFAULT_TIERS, PROVIDERS, TIERS, type Provider, type Tier } from './names.ts';
export { createOpenaiModel, OPENAI_URL, OPENROUTER_URL, type OpenaiModelOptions } from './openai/openai-model.ts';
export { createModelServer, type ModelServer, type ModelServerOptions } from './scripted/model-server.ts';
export type { RecordedRequest } from './scripted/recorded-request.ts';
export { loadScript, parseScript, scriptSchema, type Script } from './scripted/script.ts';
