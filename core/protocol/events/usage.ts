import { z } from 'zod';

/** Tokens of one request by cache class. `input` excludes tokens that were read from or written to the cache. */
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
 * The tokens that count against a token limit: those that the model newly processed. Tokens read from the prompt cache
 * are displayed and paid for, but not counted. Otherwise a long session would use up its limit with the same text.
 */
export function toCountedTokens(usage: Usage): number {
  return usage.input + usage.cacheWrite + usage.output;
}

/** False for a request without cost, such as one that the provider refused. Its price need not be known. */
export function isCharged({ usage, usd }: { usage: Usage; usd: number | null }): boolean {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite > 0 || (usd ?? 0) > 0;
}
