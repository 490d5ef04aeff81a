import { isDeepStrictEqual } from 'node:util';

/**
 * The share of each prompt that is repeated unchanged at the beginning of the next prompt: the least
 * of all pairs, 1 when a provider's cache could have served everything. Measured in bytes of JSON, from one message
 * to the next; marks for the cache itself are no part of a prompt.
 *
 * @param bodies Requests of one session in any of the three wire formats, in order; at least two.
 */
export function toPrefixReuse(bodies: readonly unknown[]): number {
  const prompts = bodies.map(toPieces);
  const shares = prompts.slice(1).map((prompt, at) => toShare(prompts[at]!, prompt));
  return Math.min(...shares);
}

function toShare(before: readonly unknown[], after: readonly unknown[]): number {
  let same = 0;
  while (same < before.length && isDeepStrictEqual(before[same], after[same])) same++;
  return countBytes(before.slice(0, same)) / countBytes(before);
}

function countBytes(pieces: readonly unknown[]): number {
  return pieces.reduce((sum: number, piece) => sum + Buffer.byteLength(JSON.stringify(piece)), 0);
}

/** Tools and system prompt, then each message. */
function toPieces(body: unknown): unknown[] {
  const { tools, system, instructions, messages, input } = withoutMarks(body) as Record<string, unknown>;
  const list = messages ?? input;
  return [tools ?? [], system ?? instructions ?? '', ...(Array.isArray(list) ? (list as unknown[]) : [list])];
}

function withoutMarks(body: unknown): unknown {
  const text = JSON.stringify(body, (key, value: unknown) => (key === 'cache_control' ? undefined : value));
  return JSON.parse(text) as unknown;
}
