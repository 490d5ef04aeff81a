import { headOf } from '@klaus/sdk/cut-text';
import type {
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import type { CallEntry } from '@klaus/sdk/conversation';
import { describeCall } from '@klaus/sdk/transcript';
import { resolve } from 'node:path';
import { toDiffContents, toDiffLocations } from './file-diffs.ts';
import { toToolKind } from './tool-kind.ts';

/** Characters of an output that an editor gets. The log has the complete one. */
const MAX_OUTPUT = 50_000;
/** Characters of a title. */
const MAX_TITLE = 200;

/** A call as an editor first sees it. */
export function toToolCall(call: CallEntry, workspace: string): ToolCall {
  return {
    toolCallId: call.id,
    title: describeCall(call.name, call.input, MAX_TITLE),
    name: call.name,
    kind: toToolKind(call.name),
    status: 'pending',
    rawInput: call.input,
    locations: toInputLocations(call.input, workspace),
  };
}

/** The change of a call, as fields of an update. None without a diff. */
export function toDiffFields(
  diff: string | undefined,
  workspace: string,
): { content?: ToolCallContent[]; locations?: ToolCallLocation[] } {
  if (diff === undefined || diff === '') return {};
  return { content: toDiffContents(diff, workspace), locations: toDiffLocations(diff, workspace) };
}

/** A call that has ended. @param hasTerminal Its output is in a terminal of the editor already. */
export function toFinished(call: CallEntry, workspace: string, hasTerminal: boolean): ToolCallUpdate {
  const { result, id: toolCallId } = call;
  const status: ToolCallStatus = result?.outcome === 'ok' ? 'completed' : 'failed';
  const diffs = call.diff === undefined ? [] : toDiffContents(call.diff, workspace);
  // The lines of an edit show more than its result does.
  const isShown = status === 'completed' && diffs.length > 0;
  const output = isShown || hasTerminal ? [] : toOutput(call, result?.output ?? '');
  const content = [...diffs, ...output];
  const { outcome, durationMs, changes } = result ?? {};
  return {
    toolCallId,
    status,
    ...(content.length > 0 ? { content } : {}),
    rawOutput: { outcome, durationMs, changes },
  };
}

/** The text of a call as a content that no editor renders as Markdown. */
export function toOutput({ name }: Pick<CallEntry, 'name'>, text: string): ToolCallContent[] {
  if (text === '') return [];
  const cut = text.length <= MAX_OUTPUT ? text : `${headOf(text, MAX_OUTPUT)}\n…`;
  const language = toToolKind(name) === 'execute' ? 'console' : '';
  return [{ type: 'content', content: { type: 'text', text: toFence(cut, language) } }];
}

/** A code block whose fence does not occur in the text. */
function toFence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}`;
}

/** The files that a call names. */
function toInputLocations(input: unknown, workspace: string): ToolCallLocation[] {
  if (typeof input !== 'object' || input === null || workspace === '') return [];
  const { path, start } = input as Record<string, unknown>;
  if (typeof path !== 'string' || path === '') return [];
  const line = typeof start === 'number' && start >= 1 ? { line: Math.floor(start) } : {};
  return [{ path: resolve(workspace, path), ...line }];
}
