import type { ModelInfo } from '@klaus/core/agent';

/** What a model accepts of the chosen sampling. */
export type AcceptedSampling = Pick<ModelInfo, 'efforts' | 'maxTemperature'>;

/** One model in the shape of models.dev, as far as Klaus uses it. */
export interface CatalogEntry extends AcceptedSampling {
  limit: { context: number; output: number };
  images: boolean;
  /** US dollars per million tokens; absent if no source gives them. */
  cost?: CatalogCost;
  /** Date on which the provider retires the id. */
  until?: string;
  /** The model takes `thinking: {type: 'adaptive'}` (Anthropic Messages). */
  adaptiveThinking?: boolean;
  /** With tools, the model reasons only on OpenAI's Responses API. */
  responses?: true;
}

export interface CatalogCost {
  input: number;
  output: number;
  cache_read?: number;
  /** Default: 1.25 times `input`, as for all listed providers that give a figure. */
  cache_write?: number;
  /** Steps for the complete request once its prompt is longer than `size` tokens. */
  tiers?: (Omit<CatalogCost, 'tiers'> & { size: number })[];
}

/** Levels of effort of several models. */
export const UP_TO_HIGH = ['low', 'medium', 'high'] as const;
export const UP_TO_XHIGH = [...UP_TO_HIGH, 'xhigh'] as const;
export const UP_TO_MAX = [...UP_TO_XHIGH, 'max'] as const;

/** Context windows and maximum output sizes of several models. */
export const MILLION = { context: 1_000_000, output: 128_000 };
export const SMALL = { context: 200_000, output: 64_000 };
