import type { Price } from '@klaus/core/agent';

/** The date of the figures below. */
export const SNAPSHOT_DATE = '2026-11-21';

/** One model in the shape of models.dev, as far as Klaus uses it. */
export interface CatalogEntry {
  limit: { context: number; output: number };
  images: boolean;
  /** US dollars per million tokens; left out where no source names them. */
  cost?: CatalogCost;
  /** Date on which the provider ends the id. */
  until?: string;
  /** The model takes `thinking: {type: 'adaptive'}` (Anthropic Messages). */
  adaptiveThinking?: boolean;
  /** With tools the model reasons on OpenAI's Responses API alone. */
  responses?: true;
}

export interface CatalogCost {
  input: number;
  output: number;
  cache_read?: number;
  /** Left out: 1.25 times `input`, as with every provider here that names a figure. */
  cache_write?: number;
  /** Steps for the whole request once its prompt is longer than `size` tokens. */
  tiers?: (Omit<CatalogCost, 'tiers'> & { size: number })[];
}

export type CatalogProvider = 'anthropic' | 'openai' | 'openrouter';

const MILLION = { context: 1_000_000, output: 128_000 };
const SMALL = { context: 200_000, output: 64_000 };
const GPT_LONG = { context: 1_050_000, output: 128_000 };
const GPT_SHORT = { context: 400_000, output: 128_000 };

/** OpenAI bills the whole request at twice the input and cache rates and 1.5 times the output rate above this. */
function withLongPrompts(cost: CatalogCost): CatalogCost {
  const { input, output, cache_read: read = input } = cost;
  return { ...cost, tiers: [{ size: 272_000, input: input * 2, output: output * 1.5, cache_read: read * 2 }] };
}

// Sources: Anthropic's model pages and pricing, the ids of its SDK 1.12; models.dev (MIT) for the older
// ids. The seeds' `*-4-5` ids are ending: they are here by date, and no default uses them.
const anthropic: Record<string, CatalogEntry> = {
  'claude-fable-5-2': {
    limit: MILLION,
    images: true,
    cost: { input: 8, output: 40, cache_read: 0.2 },
    adaptiveThinking: true,
  },
  'claude-opus-5-5': {
    limit: MILLION,
    images: true,
    cost: { input: 4, output: 20, cache_read: 0.2 },
    adaptiveThinking: true,
  },
  'claude-sonnet-5-5': {
    limit: MILLION,
    images: true,
    cost: { input: 2, output: 10, cache_read: 0.1 },
    adaptiveThinking: true,
  },
  'claude-haiku-5-5': {
    limit: MILLION,
    images: true,
    cost: {
      input: 0.1,
      output: 0.5,
      cache_read: 0.01,
      tiers: [{ size: 100_000, input: 0.5, output: 2.5, cache_read: 0.05 }],
    },
    adaptiveThinking: true,
  },
  'claude-opus-5': {
    limit: MILLION,
    images: true,
    cost: { input: 5, output: 25, cache_read: 0.5 },
    adaptiveThinking: true,
  },
  'claude-sonnet-5': {
    limit: MILLION,
    images: true,
    cost: { input: 2, output: 10, cache_read: 0.2 },
    adaptiveThinking: true,
  },
  'claude-opus-4-5': { limit: SMALL, images: true, cost: { input: 5, output: 25, cache_read: 0.5 } },
  'claude-opus-4-5-20251101': { limit: SMALL, images: true, cost: { input: 5, output: 25, cache_read: 0.5 } },
  'claude-sonnet-4-5': {
    limit: SMALL,
    images: true,
    cost: { input: 3, output: 15, cache_read: 0.3 },
    until: '2026-11-30',
  },
  'claude-sonnet-4-5-20250929': {
    limit: SMALL,
    images: true,
    cost: { input: 3, output: 15, cache_read: 0.3 },
    until: '2026-11-30',
  },
  'claude-haiku-4-5': { limit: SMALL, images: true, cost: { input: 1, output: 5, cache_read: 0.1 } },
  'claude-haiku-4-5-20251001': { limit: SMALL, images: true, cost: { input: 1, output: 5, cache_read: 0.1 } },
};

// Sources: OpenAI's model pages and pricing as published and as mirrored by LiteLLM's release notes;
// models.dev (MIT) for the 5.x ids. From 5.6 on, chat-completions takes tools only with
// `reasoning_effort: none`; 6.1-sol and 6.2-sol refuse that too and so are not here.
const openai: Record<string, CatalogEntry> = {
  'gpt-6-astra': {
    limit: GPT_LONG,
    images: true,
    cost: withLongPrompts({ input: 10, output: 50, cache_read: 1 }),
    responses: true,
  },
  'gpt-6-sol': {
    limit: GPT_LONG,
    images: true,
    cost: withLongPrompts({ input: 2, output: 10, cache_read: 0.2 }),
    responses: true,
  },
  'gpt-6-luna': {
    limit: GPT_LONG,
    images: true,
    cost: withLongPrompts({ input: 0.1, output: 0.5, cache_read: 0.01 }),
    responses: true,
  },
  'gpt-6.1-terra': {
    limit: GPT_LONG,
    images: true,
    cost: withLongPrompts({ input: 1, output: 5, cache_read: 0.05 }),
    responses: true,
  },
  'gpt-5.6-terra': {
    limit: GPT_LONG,
    images: true,
    cost: withLongPrompts({ input: 2, output: 12, cache_read: 0.2 }),
    responses: true,
  },
  'gpt-5.6-luna': {
    limit: GPT_LONG,
    images: true,
    cost: withLongPrompts({ input: 0.2, output: 1.2, cache_read: 0.02 }),
    responses: true,
  },
  'gpt-5.4': { limit: GPT_LONG, images: true, cost: withLongPrompts({ input: 2.5, output: 15, cache_read: 0.25 }) },
  'gpt-5.4-mini': { limit: GPT_SHORT, images: true, cost: { input: 0.75, output: 4.5, cache_read: 0.075 } },
  'gpt-5.4-nano': { limit: GPT_SHORT, images: true, cost: { input: 0.2, output: 1.25, cache_read: 0.02 } },
  'gpt-5-mini': { limit: GPT_SHORT, images: true, cost: { input: 0.25, output: 2, cache_read: 0.025 } },
};

// Source: models.dev (MIT). OpenRouter passes the vendors' prices through and reports the exact cost of
// every request, so these figures only serve to reserve money beforehand.
const openrouter: Record<string, CatalogEntry> = {
  ...Object.fromEntries(Object.entries(openai).map(([id, { responses: _, ...entry }]) => [`openai/${id}`, entry])),
  'anthropic/claude-opus-5.5': { limit: MILLION, images: true, cost: { input: 4, output: 20, cache_read: 0.2 } },
  'anthropic/claude-sonnet-5.5': { limit: MILLION, images: true, cost: { input: 2, output: 10, cache_read: 0.1 } },
  'anthropic/claude-haiku-5.5': { limit: MILLION, images: true, ...pick(anthropic['claude-haiku-5-5']?.cost) },
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

function pick(cost: CatalogCost | undefined): { cost?: CatalogCost } {
  return cost ? { cost } : {};
}

export const SNAPSHOT: Readonly<Record<CatalogProvider, Readonly<Record<string, CatalogEntry>>>> = {
  anthropic,
  openai,
  openrouter,
};

/** One price step as the agent counts with it; missing cache prices are filled in upwards, never to zero. */
export function toPrice({ input, output, cache_read: read, cache_write: write }: Omit<CatalogCost, 'tiers'>): Price {
  return { input, output, cacheRead: read ?? input, cacheWrite: write ?? input * 1.25 };
}
