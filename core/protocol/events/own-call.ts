/** Progress of what the engine itself does takes the place of a call: the id of that call, whose prefix says what it is. */
const OWN_CALLS = { checkpoint: 'checkpoint-', state: 'state-' } as const;
export type OwnWork = keyof typeof OWN_CALLS;

/** The id of the engine's own call of a run: a checkpoint at its end, or a state of the workspace for undo. */
export function toOwnCall(work: OwnWork, run: string): string {
  return `${OWN_CALLS[work]}${run}`;
}

/** What the engine itself does under this id; undefined for a call of the model. */
export function findOwnWork(call: string): OwnWork | undefined {
  if (call.startsWith(OWN_CALLS.checkpoint)) return 'checkpoint';
  return call.startsWith(OWN_CALLS.state) ? 'state' : undefined;
}
