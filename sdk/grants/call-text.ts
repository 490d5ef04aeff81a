import type { ToolRegistry } from '@klaus/core/agent';
import { KlausError, toKlausError } from '@klaus/core/protocol';

/** A tool call to explain. */
export interface GivenCall {
  name: string;
  input: unknown;
}

/**
 * Reads a tool call as people write it: `run_command npm test`, `read_file {"path":"x"}`, or
 * `{"name":"read_file","input":{"path":"x"}}`. Plain words are the tool's first argument.
 *
 * @throws KlausError `usage`.
 */
export function fromCallText(text: string, tools: ToolRegistry): GivenCall {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) return fromJson(trimmed);
  const name = /^\S*/.exec(trimmed)![0];
  const rest = trimmed.slice(name.length).trimStart();
  if (name === '') throw new KlausError('usage', 'There is no tool call.', { hint: 'Such as: run_command npm test' });
  if (rest.startsWith('{')) return { name, input: parseJson(rest) };
  return { name, input: toInput(name, rest, tools) };
}

function fromJson(text: string): GivenCall {
  const call = parseJson(text) as { name?: unknown; input?: unknown };
  if (typeof call.name === 'string') return { name: call.name, input: call.input ?? {} };
  throw new KlausError('usage', 'The call has no name.', { hint: 'Write {"name":"read_file","input":{"path":"x"}}.' });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KlausError('usage', `This is no JSON: ${toKlausError(error).message}`, { cause: error });
  }
}

interface Shape {
  properties?: Record<string, { type?: unknown }>;
  required?: string[];
}

function toInput(name: string, text: string, tools: ToolRegistry): Record<string, string> {
  try {
    tools.get(name);
  } catch (error) {
    const { message, hint } = toKlausError(error);
    throw new KlausError('usage', message, { ...(hint ? { hint } : {}), cause: error });
  }
  const { properties = {}, required = [] } = tools.specs([name])[0]!.inputSchema as Shape;
  const isText = (key: string): boolean => properties[key]?.type === 'string';
  const first = required.find(isText) ?? Object.keys(properties).find(isText);
  if (required.some((key) => !isText(key)) || (first === undefined && text !== '')) {
    throw new KlausError('usage', `${name} takes more than words.`, { hint: `Give its input as JSON: ${name} {…}` });
  }
  // The path matters more than the content: missing text is empty.
  const empty = Object.fromEntries(required.map((key) => [key, '']));
  return first === undefined || text === '' ? empty : { ...empty, [first]: text };
}
