/** What a hook prints for Claude Code. An empty object is "no objection": `allow` would switch off the user's own prompts. */
export type HookAnswer = Readonly<Record<string, unknown>>;

export const NO_OBJECTION: HookAnswer = {};

/** Decides about a call before it runs. */
export function toPermission(verdict: 'ask' | 'deny', reason: string): HookAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: verdict,
      permissionDecisionReason: reason,
    },
  };
}

/** Replaces the input of a call. Without a decision, the questions of Claude Code remain; `input` is complete. */
export function toUpdatedInput(input: Readonly<Record<string, unknown>>): HookAnswer {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: input } };
}

/** Replaces what the model sees of a result. */
export function toUpdatedOutput(output: unknown): HookAnswer {
  return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: output } };
}

/** Ends the work after a call, before the model gets anything more. The user sees the reason. */
export function toEnd(reason: string): HookAnswer {
  return { continue: false, stopReason: reason };
}

/** Keeps Claude working: it gets the reason as its next message. */
export function toBlock(reason: string): HookAnswer {
  return { decision: 'block', reason };
}
