import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { singleQuote } from '@klaus/sdk/guard';
import type { HookEvent } from './hook-event.ts';

/** A call of Claude Code, as the gate of Klaus can judge it. */
export type ClaudeCall =
  /** Nothing that it could damage. */
  | { kind: 'harmless' }
  | { kind: 'command'; command: string }
  /** `reads`: a file, only names below a folder, or the content of all files below it. `glob`: of their names. */
  | { kind: 'read'; path: string; reads: 'file' | 'names' | 'content'; glob?: string }
  /** `input`: of the tool of Klaus with the same effect; absent if its effect on the content is not known. */
  | { kind: 'write'; path: string; edit?: { name: 'write_file' | 'edit_file'; input: Record<string, unknown> } }
  /** A skill or a command, whose file runs commands and mentions files. */
  | { kind: 'expansion'; name: string }
  /** An agent of Claude Code, whose calls reach the guard themselves. */
  | { kind: 'agent'; type: string; prompt: string; isElsewhere: boolean }
  | { kind: 'fetch'; url: string }
  | { kind: 'mcp'; tool: string; input: Readonly<Record<string, unknown>> }
  | { kind: 'unknown'; reason: string };

type Input = Readonly<Record<string, unknown>>;
type Translate = (input: Input, cwd: string) => ClaudeCall;

const HARMLESS: Translate = () => ({ kind: 'harmless' });

/** Each tool of Claude Code that the guard knows. Source: tools of 2.1.197 and 2.1.332, and their documentation. */
const TOOLS: Readonly<Record<string, Translate>> = {
  ...Object.fromEntries(
    // They show, plan, wait, or start agents whose calls reach the guard themselves.
    'AskUserQuestion BashOutput CronList EnterPlanMode ExitPlanMode ExitWorktree KillShell ListMcpResourcesTool LSP TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch'
      .split(' ')
      .map((name) => [name, HARMLESS]),
  ),
  Task: toAgent,
  Agent: toAgent,
  Skill: ({ skill, command, name }) => toExpansion(skill ?? command ?? name),
  SlashCommand: ({ command, name }) => toExpansion(command ?? name),
  Bash: toCommand,
  Monitor: toCommand,
  // The gate cannot judge its language, and asks.
  PowerShell: ({ command }) =>
    typeof command === 'string'
      ? { kind: 'command', command: `pwsh -Command ${singleQuote(command)}` }
      : unreadable('command'),
  Read: (input, cwd) => toRead(input['file_path'], cwd),
  NotebookRead: (input, cwd) => toRead(input['notebook_path'], cwd),
  Glob: (input, cwd) => toRead(input['path'] ?? cwd, cwd, { reads: 'names' }),
  Grep: (input, cwd) => toRead(input['path'] ?? cwd, cwd, { reads: 'content', glob: input['glob'] }),
  LS: (input, cwd) => toRead(input['path'] ?? cwd, cwd, { reads: 'names' }),
  Write: ({ file_path, content }, cwd) =>
    toWrite(file_path, cwd, (path) =>
      typeof content === 'string' ? { name: 'write_file', input: { path, content } } : undefined,
    ),
  Edit: (input, cwd) => toEdits(input['file_path'], cwd, [input]),
  MultiEdit: (input, cwd) => toEdits(input['file_path'], cwd, Array.isArray(input['edits']) ? input['edits'] : []),
  NotebookEdit: (input, cwd) => toWrite(input['notebook_path'], cwd, () => undefined),
  WebFetch: ({ url }) => ({ kind: 'fetch', url: typeof url === 'string' ? url : '' }),
  WebSearch: ({ query }) => ({ kind: 'fetch', url: typeof query === 'string' ? query : '' }),
};

const MCP = /^mcp__/;

/** The call of an event in terms of its effect. An input that cannot be read is `unknown`, which is never allowed silently. */
export function toClaudeCall({ tool_name: tool = '', tool_input: input = {}, cwd }: HookEvent): ClaudeCall {
  if (MCP.test(tool)) return { kind: 'mcp', tool, input };
  const translate = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
  return translate?.(input, cwd) ?? { kind: 'unknown', reason: `the guard does not know the tool ${tool}` };
}

/** One on another machine, or in a mode without questions, is not judged like this one. */
function toAgent({ prompt, isolation, mode, subagent_type: type }: Input): ClaudeCall {
  const isElsewhere = isolation === 'remote' || mode === 'bypassPermissions' || mode === 'dontAsk' || mode === 'auto';
  const name = typeof type === 'string' && type !== '' ? type : 'general-purpose';
  return { kind: 'agent', type: name, prompt: typeof prompt === 'string' ? prompt : '', isElsewhere };
}

/** The first word of a slash command is its name. */
function toExpansion(name: unknown): ClaudeCall {
  return typeof name === 'string' ? { kind: 'expansion', name: name.trim().split(/\s/)[0]! } : unreadable('name');
}

function toCommand({ command }: Input): ClaudeCall {
  return typeof command === 'string' ? { kind: 'command', command } : unreadable('command');
}

/** Older versions of Claude Code expand `~`, after the hook. */
function toAbsolute(path: string, cwd: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(cwd, path);
}

type Reads = Pick<Extract<ClaudeCall, { kind: 'read' }>, 'reads'>['reads'];

function toRead(
  path: unknown,
  cwd: string,
  { reads = 'file', glob }: { reads?: Reads; glob?: unknown } = {},
): ClaudeCall {
  if (typeof path !== 'string' || (glob !== undefined && typeof glob !== 'string')) return unreadable('path');
  return { kind: 'read', path: toAbsolute(path, cwd), reads, ...(glob === undefined ? {} : { glob }) };
}

type Edit = NonNullable<Extract<ClaudeCall, { kind: 'write' }>['edit']>;

function toWrite(path: unknown, cwd: string, toEdit: (path: string) => Edit | undefined): ClaudeCall {
  if (typeof path !== 'string') return unreadable('path');
  const absolute = toAbsolute(path, cwd);
  const edit = toEdit(absolute);
  return { kind: 'write', path: absolute, edit };
}

function toEdits(path: unknown, cwd: string, edits: readonly unknown[]): ClaudeCall {
  return toWrite(path, cwd, (absolute) => {
    const read = edits.map((edit) => {
      const { old_string: old, new_string: text, replace_all: all } = (edit ?? {}) as Input;
      return typeof old === 'string' && typeof text === 'string' ? { old, new: text, all: all === true } : undefined;
    });
    if (read.some((edit) => edit === undefined) || read.length === 0) return undefined;
    // Claude Code creates a file by an edit of nothing.
    if (read.length === 1 && read[0]!.old === '')
      return { name: 'write_file', input: { path: absolute, content: read[0]!.new } };
    return { name: 'edit_file', input: { path: absolute, edits: read } };
  });
}

function unreadable(what: string): ClaudeCall {
  return { kind: 'unknown', reason: `its ${what} cannot be read` };
}
