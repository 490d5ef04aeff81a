import type * as draft from '@agentclientprotocol/sdk/experimental/v2';
import type {
  ContentBlock,
  SessionConfigOption,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable';
import { findUnifiedDiff } from '../updates/file-diffs.ts';

/** The fields of a call. Its extensions are messages of their own. */
export function toDraftCall(call: ToolCallUpdate): draft.ToolCallUpdate {
  const { toolCallId, title, name, kind, status, rawInput, rawOutput, locations, content } = call;
  return withoutUndefined({
    toolCallId,
    title,
    name,
    kind,
    status,
    rawInput,
    rawOutput,
    locations,
    content: content && toDraftContents(content),
  });
}

/** Contents, in which the hunks of one diff are one content again. */
function toDraftContents(contents: readonly ToolCallContent[]): draft.ToolCallContent[] {
  const seen = new Set<string>();
  return contents.flatMap((content): draft.ToolCallContent[] => {
    if (content.type === 'content') return [{ type: 'content', content: toDraftBlock(content.content) }];
    if (content.type === 'terminal') return [{ type: 'terminal', terminalId: content.terminalId }];
    const unified = findUnifiedDiff(content);
    if (!unified || seen.has(unified.diff)) return [];
    seen.add(unified.diff);
    const changes = unified.changes as draft.DiffChange[];
    return [{ type: 'diff', changes, patch: { format: 'git_patch', text: unified.diff } }];
  });
}

/** The kinds of contents are the same in both versions. */
export function toDraftBlock(content: ContentBlock): draft.ContentBlock {
  return content as draft.ContentBlock;
}

/** Other kinds than those of version 1 are refused with the prompt. */
export function fromDraftContents(contents: readonly draft.ContentBlock[]): ContentBlock[] {
  return contents as ContentBlock[];
}

export function toDraftOptions(options: readonly SessionConfigOption[]): draft.SessionConfigOption[] {
  return options.map(({ id, ...option }) => ({ configId: id, ...option }) as draft.SessionConfigOption);
}

/** `null` and an absent field differ in the draft. */
function withoutUndefined<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
