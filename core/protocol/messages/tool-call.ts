import type { CallPart } from './message.ts';

/** The tool that finds tools which are not in the request. */
export const TOOL_SEARCH = 'tool_search';
/** What a model calls them through. It is in the request of every session that has such tools, and never changes. */
export const USE_TOOL = 'use_tool';

/**
 * The tool that a call means, and its input: what stands in `use_tool {name, input}`, else the call itself. The
 * message keeps what the model sent; everything else, from the gate to the log's events, knows the real tool.
 * A `use_tool` that names none comes back as it is.
 */
export function toCalled({ name, input }: Pick<CallPart, 'name' | 'input'>): { name: string; input: unknown } {
  if (name !== USE_TOOL || typeof input !== 'object' || input === null) return { name, input };
  const { name: real, input: given = {}, ...rest } = input as Record<string, unknown>;
  // Fields beside `input` would be lost without a word.
  if (typeof real !== 'string' || real === USE_TOOL || Object.keys(rest).length > 0) return { name, input };
  return { name: real, input: typeof given === 'string' ? parse(given) : given };
}

/** Some models write an object within an object as text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
