import { z } from 'zod';
import { subset, tierOnly } from './narrowing.ts';
import { TIER_SETTINGS } from './provider-settings.ts';
import { fallbackSchema, modelName } from './model-name.ts';
import { priceSchema } from './models/price-schema.ts';
import { effortSchema, temperatureSchema } from './sampling.ts';
import { defineSetting } from './setting.ts';

/** Settings of the models: which one works, which ones may be used, and their prices. */
export const MODEL_SETTINGS = {
  model: defineSetting({
    schema: modelName,
    default: 'opus',
    env: 'AGENT_MODEL',
    values: '`provider/id`, a tier (opus, sonnet, haiku) or a known id',
    description: 'Model of a session.',
    project: tierOnly,
  }),
  fallback: defineSetting({
    schema: fallbackSchema,
    env: 'KLAUS_FALLBACK',
    unset: 'none',
    values: 'a list of at most three names as in `model`; in a variable separated by commas',
    description:
      'Models that answer, in this order, while the model of a session is overloaded, limits the rate, has no credit, cannot be reached or does not exist. Their providers get the session too.',
  }),
  effort: defineSetting({
    schema: effortSchema,
    env: 'KLAUS_EFFORT',
    unset: 'the default of the model',
    description:
      'How much the model of a session reasons. `max` is the highest level that the model has. A model without the level gets none, which is reported.',
  }),
  temperature: defineSetting({
    schema: temperatureSchema,
    env: 'KLAUS_TEMPERATURE',
    unset: 'the default of the model',
    description:
      'Sampling temperature of the model of a session. A model that does not accept it gets none, which is reported.',
  }),
  ...TIER_SETTINGS,
  prices: defineSetting({
    schema: z.record(z.string().regex(/^[^/\s]+\/\S+$/), priceSchema),
    unset: 'those of the model catalog',
    values: 'for each `provider/id`: input and output, and optionally cacheRead and cacheWrite, each at least 0',
    description:
      'Prices in US dollars per million tokens, for models that are not in the catalog or have other prices.',
  }),
  'models.allow': defineSetting({
    schema: z.array(z.string().regex(/^[\w./:@+~-]*[\w./:@+~*-]$/)).min(1),
    env: 'KLAUS_MODELS_ALLOW',
    unset: 'every model',
    values: 'a list of full model names, `provider/id`, which may end in `*`; in a variable separated by commas',
    description: 'Models that may be used.',
    project: subset,
  }),
  'models.keepLoadedMs': defineSetting({
    schema: z.int().min(0).max(604_800_000),
    default: 14_400_000,
    env: 'KLAUS_MODELS_KEEP_LOADED',
    description:
      'Milliseconds after the last request for which Ollama keeps the model of an open session in memory. 0: as long as its own setting says.',
  }),
} as const;
