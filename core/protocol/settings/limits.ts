import { z } from 'zod';

const cap = z.number().nonnegative();

/** Caps of one session. 0 means unlimited. */
export const limitsSchema = z.object({
  tokens: cap.describe('Tokens newly processed, not read from the prompt cache. 0: unlimited.'),
  usd: cap.describe('US dollars. 0: unlimited.'),
  toolCalls: cap.describe('Tool calls. 0: unlimited.'),
  turns: cap.describe('Model turns. 0: unlimited.'),
  minutes: cap.describe('Minutes in which models work, without tools and questions. 0: unlimited.'),
});
export type Limits = z.infer<typeof limitsSchema>;

/** Caps in an event: older logs have none of minutes. */
export const recordedLimitsSchema = limitsSchema.partial({ minutes: true });
export type RecordedLimits = z.infer<typeof recordedLimitsSchema>;
export type LimitName = keyof Limits;

export const LIMIT_NAMES = ['tokens', 'usd', 'toolCalls', 'turns', 'minutes'] as const satisfies readonly LimitName[];

/** No cap. */
export const NO_LIMITS: Readonly<Limits> = { tokens: 0, usd: 0, toolCalls: 0, turns: 0, minutes: 0 };
