import type { CallPart } from './message.ts';

/** The tool that finds tools that are not in the request. */
export const TOOL_SEARCH = 'tool_search';
/** The tool through which a model calls them. It is in every request of a session that has such tools, and never changes. */
export const USE_TOOL = 'use_tool';

/**
 * The tool and the input of a call: those in `use_tool {name, input}`, otherwise those of the call itself. The message
 * keeps what the model sent. Everything else, from the gate to the events, uses the real tool. A `use_tool` without a
 * valid name is returned unchanged.
 */
export function toCalled({ name, input }: Pick<CallPart, 'name' | 'input'>): { name: string; input: unknown } {
  if (name !== USE_TOOL || typeof input !== 'object' || input === null) return { name, input };
  const { name: real, input: given = {}, ...rest } = input as Record<string, unknown>;
  // Other fields than `input` would be lost silently.
  if (typeof real !== 'string' || real === USE_TOOL || Object.keys(rest).length > 0) return { name, input };
  return { name: real, input: typeof given === 'string' ? parse(given) : given };
}

/** Some models send a nested object as text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
