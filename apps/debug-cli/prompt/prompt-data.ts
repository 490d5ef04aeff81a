import { isAbsolute, relative } from 'node:path';
import type { CliInput, ContextEntry, ErrorSummary, StackFrame } from 'klendathu/contract';
import type { HostTool } from '../host/host-connection.ts';
import { cutText, toFence } from './fence.ts';

/** The variables of a template. An absent one is the empty string. */
export type PromptData = Readonly<Record<(typeof VARIABLES)[number], string>>;

export const VARIABLES = [
  'language',
  'runtime',
  'timestamp',
  'pid',
  'projectRoot',
  'access',
  'isReadOnly',
  'error',
  'callStack',
  'context',
  'tools',
  'extraInstructions',
  'prompt',
  'schema',
  'evals',
] as const;

const MAX_MESSAGE = 4_000;
const MAX_STACK = 6_000;
const MAX_CAUSES = 5;
const MAX_FRAMES = 40;
const MAX_ENTRIES = 60;
const MAX_NAME = 120;
const MAX_DESCRIPTION = 300;
const MAX_SCHEMA = 24_000;

export interface PromptInput {
  input: CliInput;
  tools: readonly HostTool[];
  projectRoot: string;
}

/** What a template may show. Everything that comes from the program is in a fence. */
export function toPromptData({ input, tools, projectRoot }: PromptInput): PromptData {
  const { access = 'read' } = input;
  return {
    language: cutText(input.language ?? '', MAX_NAME),
    runtime: cutText(input.runtime ?? '', MAX_NAME),
    timestamp: cutText(input.timestamp, MAX_NAME),
    pid: String(input.pid),
    projectRoot,
    access,
    isReadOnly: access === 'read' ? 'yes' : '',
    error: input.error ? toFence(describeError(input.error), 'untrusted') : '',
    callStack: toFence(describeFrames(input.callStack, projectRoot), 'untrusted'),
    context: toFence(describeContext(input.context), 'untrusted'),
    tools: tools.map(({ name }) => `\`${name}\``).join(', '),
    extraInstructions: input.extraInstructions ?? '',
    prompt: input.mode === 'implement' ? input.prompt : '',
    schema:
      input.mode === 'implement' ? toFence(cutText(JSON.stringify(input.schema, null, 2), MAX_SCHEMA), 'json') : '',
    evals: input.budget?.evals === undefined ? '' : String(input.budget.evals),
  };
}

function describeError(error: ErrorSummary): string {
  const lines: string[] = [];
  let each: ErrorSummary | undefined = error;
  for (let depth = 0; each && depth <= MAX_CAUSES; depth++) {
    const code: string = each.code === undefined ? '' : ` (code ${cutText(each.code, MAX_NAME)})`;
    const head = `${depth === 0 ? '' : 'caused by '}${cutText(each.name, MAX_NAME)}${code}: `;
    lines.push(head + cutText(each.message, MAX_MESSAGE));
    if (depth === 0 && each.stack !== undefined) lines.push('', cutText(each.stack, MAX_STACK), '');
    each = each.cause;
  }
  if (each) lines.push('[further causes are not shown]');
  return lines.join('\n').trim();
}

function describeFrames(frames: readonly StackFrame[], root: string): string {
  if (frames.length === 0) return '(none)';
  const lines = frames.slice(0, MAX_FRAMES).map((frame, index) => {
    const place = [toShown(frame.filePath, root), frame.line, frame.column].filter((part) => part !== undefined);
    const notes = [
      ...(frame.isUser === false ? ['not of the project'] : []),
      ...(frame.hasLocals ? ['variables can be read'] : []),
      ...(frame.isAsync ? ['across an await'] : []),
    ];
    const name = frame.functionName ? ` ${cutText(frame.functionName, MAX_NAME)}` : '';
    return `${index}: ${place.join(':')}${name}${notes.length > 0 ? ` [${notes.join(', ')}]` : ''}`;
  });
  if (frames.length > MAX_FRAMES) lines.push(`[${frames.length - MAX_FRAMES} more frames]`);
  return lines.join('\n');
}

function toShown(path: string, root: string): string {
  const inside = isAbsolute(path) ? relative(root, path) : '';
  return cutText(inside === '' || inside.startsWith('..') ? path : inside, MAX_STACK);
}

function describeContext(entries: readonly ContextEntry[]): string {
  if (entries.length === 0) return '(none)';
  const lines = entries.slice(0, MAX_ENTRIES).map(({ name, type, description }) => {
    const more = description === undefined ? '' : `: ${cutText(description.replaceAll(/\s+/g, ' '), MAX_DESCRIPTION)}`;
    return `- ${cutText(name, MAX_NAME)} (${cutText(type, MAX_NAME)})${more}`;
  });
  if (entries.length > MAX_ENTRIES) {
    const names = entries.slice(MAX_ENTRIES).map(({ name }) => name);
    lines.push(`[${names.length} more items, without description: ${cutText(names.join(', '), MAX_MESSAGE)}]`);
  }
  return lines.join('\n');
}
