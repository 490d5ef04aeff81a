import type { CatalogCost, CatalogEntry } from '../catalog/catalog-entry.ts';

/** OpenAI bills the complete request at twice the input and cache rates and 1.5 times the output rate above this. */
function withLongPrompts(cost: CatalogCost): CatalogCost {
  const { input, output, cache_read: read = input } = cost;
  return { ...cost, tiers: [{ size: 272_000, input: input * 2, output: output * 1.5, cache_read: read * 2 }] };
}

const LONG = { limit: { context: 1_050_000, output: 128_000 }, images: true };
const SHORT = { limit: { context: 400_000, output: 128_000 }, images: true };
const REASONING = { ...LONG, responses: true } as const;

// Sources: OpenAI's model pages and pricing as published and as mirrored by LiteLLM's release notes;
// models.dev (MIT) for the 5.x ids. From 5.6 on, chat-completions takes tools only with
// `reasoning_effort: none`; 6.1-sol and 6.2-sol refuse that too and so are not here.
export const OPENAI_MODELS: Record<string, CatalogEntry> = {
  'gpt-6-astra': { ...REASONING, cost: withLongPrompts({ input: 10, output: 50, cache_read: 1 }) },
  'gpt-6-sol': { ...REASONING, cost: withLongPrompts({ input: 2, output: 10, cache_read: 0.2 }) },
  'gpt-6-luna': { ...REASONING, cost: withLongPrompts({ input: 0.1, output: 0.5, cache_read: 0.01 }) },
  'gpt-6.1-terra': { ...REASONING, cost: withLongPrompts({ input: 1, output: 5, cache_read: 0.05 }) },
  'gpt-5.6-terra': { ...REASONING, cost: withLongPrompts({ input: 2, output: 12, cache_read: 0.2 }) },
  'gpt-5.6-luna': { ...REASONING, cost: withLongPrompts({ input: 0.2, output: 1.2, cache_read: 0.02 }) },
  'gpt-5.4': { ...LONG, cost: withLongPrompts({ input: 2.5, output: 15, cache_read: 0.25 }) },
  'gpt-5.4-mini': { ...SHORT, cost: { input: 0.75, output: 4.5, cache_read: 0.075 } },
  'gpt-5.4-nano': { ...SHORT, cost: { input: 0.2, output: 1.25, cache_read: 0.02 } },
  'gpt-5-mini': { ...SHORT, cost: { input: 0.25, output: 2, cache_read: 0.025 } },
};
