import type { Message } from '@klaus/core/protocol';

/** Why a provider would refuse a history; undefined for a well-formed one. */
export function findBrokenHistory(messages: readonly Message[]): string | undefined {
  const known = new Set<string>();
  for (const [at, { role, parts }] of messages.entries()) {
    if (at === 0 && role !== 'user') return 'the first message is not the user’s';
    if (parts.length === 0) return `message ${at} is empty`;
    const calls = parts.flatMap((part) => (part.type === 'call' ? [part.id] : []));
    const results = parts.flatMap((part) => (part.type === 'result' ? [part.call] : []));
    const before = messages[at - 1]?.parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])) ?? [];
    if (results.join() !== before.join())
      return `message ${at} has results for [${results.join()}] after the calls [${before.join()}]`;
    for (const id of calls) {
      if (known.has(id)) return `two calls are called ${id}`;
      known.add(id);
    }
    if (calls.length > 0 && role !== 'assistant') return `message ${at} has calls and is not the model’s`;
    if (calls.length > 0 && at === messages.length - 1) return 'the last calls have no results';
  }
  return undefined;
}
