import { z } from 'zod';

/**
 * The side effects of a tool. Parallelism, sandboxing, approvals and capability filters depend on this list alone. Calls
 * that only `read` may run in parallel; all others run alone.
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
