import { headOf } from '@klaus/sdk/cut-text';
import { readForeignFile } from '@klaus/sdk/foreign-file';
import type { Spoken } from '@klaus/sdk/guard';

/** Bytes from the end of a transcript that are read. */
const TAIL = 262_144;
const MAX_TEXT = 2_000;

interface Entry {
  type?: string;
  isMeta?: boolean;
  isSidechain?: boolean;
  message?: { content?: unknown };
}

/**
 * The last entries of a conversation of Claude Code, oldest first. The file lags behind the conversation, and its format
 * is not documented: what cannot be read is left out.
 */
export async function readTranscript(path: string | undefined): Promise<Spoken[]> {
  if (path === undefined) return [];
  try {
    const { text, isCut } = await readForeignFile(path, { max: TAIL, part: 'tail' });
    // The first line is incomplete.
    const lines = text.split('\n').slice(isCut ? 1 : 0);
    return lines.flatMap((line) => toSpoken(line));
  } catch {
    return [];
  }
}

/** The user's own messages among them: neither results of tools nor what the program adds. */
export function toRequests(spoken: readonly Spoken[]): string[] {
  return spoken.filter(({ role }) => role === 'user').map(({ text }) => text);
}

/** What tools reported. */
export function toOutputs(spoken: readonly Spoken[]): string[] {
  return spoken.filter(({ role }) => role === 'tool').map(({ text }) => text);
}

function toSpoken(line: string): Spoken[] {
  let entry: Entry;
  try {
    entry = JSON.parse(line) as Entry;
  } catch {
    return [];
  }
  const { type, message, isMeta, isSidechain } = entry;
  if ((type !== 'user' && type !== 'assistant') || isMeta === true || isSidechain === true) return [];
  const content = message?.content;
  if (typeof content === 'string') return toText(type, content);
  return Array.isArray(content) ? content.flatMap((part) => toPart(type, part)) : [];
}

function toPart(type: 'user' | 'assistant', part: unknown): Spoken[] {
  const { type: kind, text, name, input, content } = (part ?? {}) as Record<string, unknown>;
  if (kind === 'text' && typeof text === 'string') return toText(type, text);
  if (kind === 'tool_use') return [{ role: 'assistant', text: '', call: cut(`${String(name)}: ${toWords(input)}`) }];
  if (kind !== 'tool_result') return [];
  return [{ role: 'tool', text: cut(typeof content === 'string' ? content : toWords(content)) }];
}

/** What the program writes in the name of the user begins with a tag. */
function toText(role: 'user' | 'assistant', text: string): Spoken[] {
  if (text.trim() === '' || (role === 'user' && /^\s*<[a-z-]+>/.test(text))) return [];
  return [{ role, text: cut(text) }];
}

function toWords(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${headOf(text, MAX_TEXT)}…` : text;
}
