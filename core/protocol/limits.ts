import { z } from 'zod';

const cap = z.number().nonnegative();

/** Caps of one session. 0 means unlimited. */
export const limitsSchema = z.object({
  /** Counted tokens; see `toCountedTokens`. */
  tokens: cap,
  /** US dollars. */
  usd: cap,
  toolCalls: cap,
  /** Model turns. */
  turns: cap,
});
export type Limits = z.infer<typeof limitsSchema>;
export type LimitName = keyof Limits;

export const LIMIT_NAMES = ['tokens', 'usd', 'toolCalls', 'turns'] as const satisfies readonly LimitName[];
