import { z } from 'zod';

/**
 * Approval modes, narrowest first.
 * - `plan`: read only, everything else is denied
 * - `ask`: everything but reading asks
 * - `edits`: edits in the workspace pass, the rest asks
 * - `auto`: what grant and sandbox allow passes, anything wider asks (the default)
 */
export const modeSchema = z.enum(['plan', 'ask', 'edits', 'auto']);
export type Mode = z.infer<typeof modeSchema>;

export const sandboxNameSchema = z.enum(['bubblewrap', 'docker', 'host']);
export type SandboxName = z.infer<typeof sandboxNameSchema>;

/** What a run does with a question when nobody is there: refuse it, or park until somebody answers. */
export const onAskSchema = z.enum(['deny', 'wait']);
export type OnAsk = z.infer<typeof onAskSchema>;

/** When a run that changed files commits them to its private ref. */
export const checkpointSchema = z.enum(['auto', 'manual']);
export type Checkpoint = z.infer<typeof checkpointSchema>;
