import { readChecks } from '@klaus/sdk/guard';
import { toClaudeCall } from './claude-tool.ts';
import type { HookContext } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toUpdatedOutput } from './hook-answer.ts';

/** Redacts secrets in a result, and records edits, checks and failures. */
export async function afterToolUse(context: HookContext): Promise<HookAnswer> {
  const { event, klaus, observed, root } = context;
  const call = toClaudeCall(event);
  const hasFailed = event.hook_event_name === 'PostToolUseFailure';
  if (call.kind === 'write' && !hasFailed) await observed('edited', call.path);
  if (call.kind === 'command') {
    const found = readChecks(call.command, { root });
    // The exit code of a line such as `npm test | tail` proves nothing.
    if (found && found.doubt === undefined) await observed('checked', call.command, !hasFailed);
  }
  if (hasFailed) await observed('failed', `${event.tool_name ?? 'a tool'}: ${event.error ?? 'it failed'}`);
  const clean = redact(event.tool_response, (text) => klaus.redact(text));
  return clean === event.tool_response ? NO_OBJECTION : toUpdatedOutput(clean);
}

/** The same value if nothing was found. */
function redact(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => redact(item, clean));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, item, redact(item, clean)] as const);
  return entries.some(([, item, other]) => item !== other)
    ? Object.fromEntries(entries.map(([key, , other]) => [key, other]))
    : value;
}
