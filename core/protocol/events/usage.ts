import { z } from 'zod';

/** Tokens of one model call by cache class. `input` excludes what was read from or written to the cache. */
export const usageSchema = z.object({
  input: z.int().describe('Tokens of the prompt that were neither read from nor written to the cache.'),
  output: z.int().describe('Tokens of the answer.'),
  cacheRead: z.int().describe('Tokens of the prompt that were read from the cache.'),
  cacheWrite: z.int().describe('Tokens of the prompt that were written to the cache.'),
});
export type Usage = z.infer<typeof usageSchema>;

export const NO_USAGE: Usage = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/**
 * The tokens that count against a token limit: everything the model newly processed. Tokens read from
 * the prompt cache are shown and paid, but not counted, or a long session would spend its limit on
 * reading the same words again.
 */
export function toCountedTokens(usage: Usage): number {
  return usage.input + usage.cacheWrite + usage.output;
}

/** False for a request that cost nothing, such as one that the provider refused: whether its price is known does not matter. */
export function isCharged({ usage, usd }: { usage: Usage; usd: number | null }): boolean {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0 || (usd ?? 0) > 0;
}
