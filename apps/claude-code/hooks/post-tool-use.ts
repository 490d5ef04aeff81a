import { mapText } from '@klaus/sdk/guard';
import { endCheck } from './checks.ts';
import { type ClaudeCall, toClaudeCall } from './claude-tool.ts';
import { judgeInstructions } from './expansion/judge-instructions.ts';
import { type HookContext, toJudging } from './hook-context.ts';
import { type HookAnswer, NO_OBJECTION, toEnd, toUpdatedOutput } from './hook-answer.ts';

/** Redacts secrets in a result, and records edits, checks and failures. */
export async function afterToolUse(context: HookContext): Promise<HookAnswer> {
  const { event, observed } = context;
  const call = toClaudeCall(event);
  const hasFailed = event.hook_event_name === 'PostToolUseFailure';
  if (call.kind === 'write' && !hasFailed) await observed('edited', call.path);
  await endCheck(context);
  if (hasFailed) await observed('failed', `${event.tool_name ?? 'a tool'}: ${event.error ?? 'it failed'}`);
  const ended = await judgeImports(context, call);
  if (ended !== undefined) return ended;
  const clean = await redact(event.tool_response, context);
  return clean === event.tool_response ? NO_OBJECTION : toUpdatedOutput(clean);
}

/** A call can have changed what instructions import, and Claude Code loads those of its folder after it. */
async function judgeImports(context: HookContext, call: ClaudeCall): Promise<HookAnswer | undefined> {
  const found = await judgeInstructions(context, toJudging(context), call);
  if (found === undefined) return undefined;
  const { rule, reason, key } = found;
  const id = await context.decided({ text: reason, verdict: 'deny', rule, reason, key });
  return toEnd(`Klaus: ${reason}. To allow it, until it changes: klaus guard allow ${id}`);
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
