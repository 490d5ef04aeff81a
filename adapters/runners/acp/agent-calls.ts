import { relative, resolve } from 'node:path';
import type { AgentCall, AgentCallKind } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import type { ContentBlock, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk/unstable';
import { createTwoFilesPatch } from 'diff';

const KINDS: Readonly<Record<string, AgentCallKind>> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
  execute: 'execute',
  think: 'think',
  fetch: 'fetch',
};

const STATES = { pending: 'waiting', in_progress: 'running', completed: 'done', failed: 'failed' } as const;

type Known = { -readonly [Key in keyof ToolCallUpdate]?: NonNullable<ToolCallUpdate[Key]> };

/** The tool calls of an agent, whose updates contain only what changed. */
export class AgentCalls {
  readonly #calls = new Map<string, Known>();
  readonly #workspace: string;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /** Applies an update and returns the present state of the call. */
  update(update: ToolCallUpdate): AgentCall {
    const known = this.#calls.get(update.toolCallId) ?? {};
    for (const [key, value] of Object.entries(update))
      if (value !== null && value !== undefined) (known as Record<string, unknown>)[key] = value;
    this.#calls.set(update.toolCallId, known);
    return this.#toCall(update.toolCallId, known);
  }

  #toCall(id: string, { title = 'a tool call', kind = 'other', status = 'pending', ...known }: Known): AgentCall {
    const content = known.content ?? [];
    const diffs = content.filter((item) => item.type === 'diff');
    const named = [...(known.locations ?? []), ...diffs].map(({ path }) => resolve(this.#workspace, path));
    const isExecution = kind === 'execute';
    const command = isExecution ? toCommand(known.rawInput) : undefined;
    const url = kind === 'fetch' ? toUrl(known.rawInput) : undefined;
    const diff = diffs.map((item) => toPatch(item, this.#workspace)).join('\n');
    return {
      id,
      kind: KINDS[kind] ?? 'other',
      title,
      // A command is judged by what it is, not by the files that it names.
      paths: isExecution ? [] : [...new Set(named)],
      command,
      url,
      ...(diff === '' ? {} : { diff }),
      input: known.rawInput,
      state: STATES[status],
      output: toOutput(content, known.rawOutput, diff),
    };
  }
}

/** The command line in the arguments of a call; undefined if they do not contain exactly one. */
function toCommand(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { command, cmd } = input as Record<string, unknown>;
  const given = command ?? cmd;
  if (typeof given === 'string' && given.trim() !== '') return given;
  if (!Array.isArray(given) || given.length === 0 || !given.every((word) => typeof word === 'string')) return undefined;
  const words = given as string[];
  // `bash -lc LINE` runs the line.
  const [shell, option, line] = words;
  if (words.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell!) && /^-l?c$/.test(option!)) return line;
  return words.map(quoteShellWord).join(' ');
}

function toUrl(input: unknown): string | undefined {
  const url = (input as { url?: unknown } | null | undefined)?.url;
  return typeof url === 'string' ? url : undefined;
}

function toPatch({ path, oldText, newText }: Extract<ToolCallContent, { type: 'diff' }>, workspace: string): string {
  const name = relative(workspace, resolve(workspace, path));
  const { length } = oldText ?? '';
  // A patch of very long texts takes too long.
  if (length + newText.length > 400_000) return `${name}: ${length} characters become ${newText.length}`;
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, oldText ?? '', newText, undefined, undefined, { context: 3 });
}

function toOutput(content: readonly ToolCallContent[], raw: unknown, diff: string): string {
  const texts = content.flatMap((item) => (item.type === 'content' ? [toText(item.content)] : []));
  const text = texts.filter((each) => each !== '').join('\n');
  if (text !== '' || diff !== '') return [text, diff].filter((each) => each !== '').join('\n');
  if (raw === undefined || raw === null) return '';
  return typeof raw === 'string' ? raw : JSON.stringify(raw, null, 1);
}

/** A content block as text. */
export function toText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[${block.resource.uri}]`;
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    default:
      return `[${block.type}]`;
  }
}
