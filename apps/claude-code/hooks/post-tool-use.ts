import { mapText } from '@klaus/sdk/guard';
import { endCheck } from './checks.ts';
import { toClaudeCall } from './claude-tool.ts';
import type { HookContext } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toUpdatedOutput } from './hook-answer.ts';

/** Redacts secrets in a result, and records edits, checks and failures. */
export async function afterToolUse(context: HookContext): Promise<HookAnswer> {
  const { event, observed } = context;
  const call = toClaudeCall(event);
  const hasFailed = event.hook_event_name === 'PostToolUseFailure';
  if (call.kind === 'write' && !hasFailed) await observed('edited', call.path);
  await endCheck(context);
  if (hasFailed) await observed('failed', `${event.tool_name ?? 'a tool'}: ${event.error ?? 'it failed'}`);
  const clean = await redact(event.tool_response, context);
  return clean === event.tool_response ? NO_OBJECTION : toUpdatedOutput(clean);
}

/** Without the secrets of Klaus and of the project, and what looks like one. The same value if nothing was found. */
async function redact(value: unknown, { klaus, root }: Pick<HookContext, 'klaus' | 'root'>): Promise<unknown> {
  const texts = new Set<string>();
  mapText(value, (text) => {
    texts.add(text);
    return text;
  });
  if (texts.size === 0) return value;
  const files = await klaus.files(root);
  const clean = new Map<string, string>();
  for (const text of texts) clean.set(text, await files.redact(text));
  return mapText(value, (text) => clean.get(text)!);
}
