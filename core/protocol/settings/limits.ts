import { z } from 'zod';

const cap = z.number().nonnegative();

/** Caps of one session. 0 means unlimited. */
export const limitsSchema = z.object({
  tokens: cap.describe('Tokens newly processed, not read from the prompt cache. 0: unlimited.'),
  usd: cap.describe('US dollars. 0: unlimited.'),
  toolCalls: cap.describe('Tool calls. 0: unlimited.'),
  turns: cap.describe('Model turns. 0: unlimited.'),
});
export type Limits = z.infer<typeof limitsSchema>;
export type LimitName = keyof Limits;

export const LIMIT_NAMES = ['tokens', 'usd', 'toolCalls', 'turns'] as const satisfies readonly LimitName[];
