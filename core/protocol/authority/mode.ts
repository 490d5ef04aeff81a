import { z } from 'zod';

/**
 * Approval modes, narrowest first.
 * - `plan`: read only, everything else is denied
 * - `ask`: everything except reading needs an approval
 * - `edits`: edits in the workspace are allowed, everything else needs an approval
 * - `auto`: everything that grant and sandbox allow is allowed, everything else needs an approval (the default)
 */
export const modeSchema = z.enum(['plan', 'ask', 'edits', 'auto']);
export type Mode = z.infer<typeof modeSchema>;

/** The mode that allows less. */
export function toNarrowerMode(a: Mode, b: Mode): Mode {
  const { options } = modeSchema;
  return options.indexOf(b) < options.indexOf(a) ? b : a;
}

export const sandboxNameSchema = z.enum(['bubblewrap', 'docker', 'kubernetes', 'host']);
export type SandboxName = z.infer<typeof sandboxNameSchema>;

/** The sandboxes whose commands run in a container, with their names in messages. */
export const CONTAINER_SANDBOXES: Readonly<Partial<Record<string, string>>> = {
  docker: 'Docker',
  kubernetes: 'Kubernetes',
} satisfies Partial<Record<SandboxName, string>>;

/** What a run does when an approval is needed and no user is connected: deny it, or park until it is answered. */
export const onAskSchema = z.enum(['deny', 'wait']);
export type OnAsk = z.infer<typeof onAskSchema>;

/** When a run that changed files commits them to its private ref. */
export const checkpointSchema = z.enum(['auto', 'manual']);
export type Checkpoint = z.infer<typeof checkpointSchema>;
