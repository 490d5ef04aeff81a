import { z } from 'zod';

/**
 * What Claude Code writes to the standard input of a hook. Source: documentation and measurements of Claude Code
 * 2.1.197 to 2.1.332. Unknown fields and events are kept, because each version adds some.
 */
const hookEvent = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.string(),
  /** Absolute path of the JSON lines of the conversation. It can lag behind. */
  transcript_path: z.string().optional(),
  cwd: z.string(),
  permission_mode: z.string().optional(),
  /** Only in a subagent. */
  agent_id: z.string().optional(),
  agent_type: z.string().optional(),
  /** PreToolUse and PostToolUse. */
  tool_name: z.string().optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().optional(),
  /** PostToolUse. */
  tool_response: z.unknown().optional(),
  /** Stop and SubagentStop: true if the turn continues because of a former block. */
  stop_hook_active: z.boolean().optional(),
  last_assistant_message: z.string().optional(),
  /** PostToolUseFailure. */
  error: z.string().optional(),
  /** UserPromptSubmit. */
  prompt: z.string().optional(),
  /** SessionStart: startup, resume, clear or compact. */
  source: z.string().optional(),
});

export type HookEvent = z.infer<typeof hookEvent>;

/** @throws ZodError for what is not an event of a hook. */
export function parseHookEvent(text: string): HookEvent {
  return hookEvent.parse(JSON.parse(text));
}
