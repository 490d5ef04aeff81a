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

/** Context windows and longest answers that several models share. */
export const MILLION = { context: 1_000_000, output: 128_000 };
export const SMALL = { context: 200_000, output: 64_000 };
