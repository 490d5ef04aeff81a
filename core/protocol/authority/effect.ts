import { z } from 'zod';

/**
 * What a tool can do to the world. This list alone drives parallelism, sandboxing, approval and
 * capability filtering: a tool with nothing but `read` may run beside others; anything else is a barrier.
 */
export const effectSchema = z.enum(['read', 'write', 'execute', 'network', 'deploy', 'spawn']);
export type Effect = z.infer<typeof effectSchema>;

/** What to do with an attempt that has no result after a crash. See ARCHITECTURE.md, Tool. */
export const resumeSchema = z.enum(['repeat', 'probe', 'tell']);
export type Resume = z.infer<typeof resumeSchema>;

/** True when calls with these effects may run concurrently. */
export function isReadOnly(effects: readonly Effect[]): boolean {
  return effects.every((effect) => effect === 'read');
}
