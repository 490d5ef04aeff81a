import { UP_TO_HIGH, UP_TO_MAX, UP_TO_XHIGH, type CatalogCost, type CatalogEntry } from '../catalog/catalog-entry.ts';

/** OpenAI bills the complete request at twice the input and cache rates and 1.5 times the output rate above this. */
function withLongPrompts(cost: CatalogCost): CatalogCost {
  const { input, output, cache_read: read = input } = cost;
  return { ...cost, tiers: [{ size: 272_000, input: input * 2, output: output * 1.5, cache_read: read * 2 }] };
}

const LONG = { limit: { context: 1_050_000, output: 128_000 }, images: true };
const SHORT = { limit: { context: 400_000, output: 128_000 }, images: true };
const REASONING = { ...LONG, responses: true, efforts: UP_TO_MAX } as const;
const GPT_5_4 = { responses: true, efforts: UP_TO_XHIGH } as const;
/** These do not reason. */
const GPT_4O = { limit: { context: 128_000, output: 16_384 }, images: true, maxTemperature: 2 };
const GPT_4_1 = { limit: { context: 1_047_576, output: 32_768 }, images: true, maxTemperature: 2 };

// Sources: OpenAI's model pages and pricing as published and as mirrored by LiteLLM's release notes;
// models.dev (MIT) for the 4.x and 5.x ids and for the levels of effort. From 5.4 on, chat-completions
// takes tools only with `reasoning_effort: none`; 6.1-sol and 6.2-sol refuse that too and so are not here.
// Models that reason refuse a temperature.
export const OPENAI_MODELS: Record<string, CatalogEntry> = {
  'gpt-6-astra': { ...REASONING, cost: withLongPrompts({ input: 10, output: 50, cache_read: 1 }) },
  'gpt-6-sol': { ...REASONING, cost: withLongPrompts({ input: 2, output: 10, cache_read: 0.2 }) },
  'gpt-6-luna': { ...REASONING, cost: withLongPrompts({ input: 0.1, output: 0.5, cache_read: 0.01 }) },
  'gpt-6.1-terra': { ...REASONING, cost: withLongPrompts({ input: 1, output: 5, cache_read: 0.05 }) },
  'gpt-5.6-terra': { ...REASONING, cost: withLongPrompts({ input: 2, output: 12, cache_read: 0.2 }) },
  'gpt-5.6-luna': { ...REASONING, cost: withLongPrompts({ input: 0.2, output: 1.2, cache_read: 0.02 }) },
  'gpt-5.4': { ...LONG, ...GPT_5_4, cost: withLongPrompts({ input: 2.5, output: 15, cache_read: 0.25 }) },
  'gpt-5.4-mini': { ...SHORT, ...GPT_5_4, cost: { input: 0.75, output: 4.5, cache_read: 0.075 } },
  'gpt-5.4-nano': { ...SHORT, ...GPT_5_4, cost: { input: 0.2, output: 1.25, cache_read: 0.02 } },
  'gpt-5-mini': { ...SHORT, efforts: UP_TO_HIGH, cost: { input: 0.25, output: 2, cache_read: 0.025 } },
  'gpt-4o': { ...GPT_4O, cost: { input: 2.5, output: 10, cache_read: 1.25 } },
  'gpt-4o-mini': { ...GPT_4O, cost: { input: 0.15, output: 0.6, cache_read: 0.075 } },
  'gpt-4.1': { ...GPT_4_1, cost: { input: 2, output: 8, cache_read: 0.5 } },
  'gpt-4.1-mini': { ...GPT_4_1, cost: { input: 0.4, output: 1.6, cache_read: 0.1 } },
};
