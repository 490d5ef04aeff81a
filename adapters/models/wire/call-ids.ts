import { isRecord, toWellFormedJson, type Message } from '@klaus/core/protocol';

/** Gives a call its unique id. `index` counts the calls of the answer. */
export type ToCallId = (id: string | undefined, index: number) => string;

/**
 * Keeps the ids of one answer's calls apart: some servers leave ids out or repeat them. A replacement is made
 * from the last message's id and the call's index, so that it is the same when the answer comes again. Ids
 * that an earlier answer had are the loop's to see: it knows all of the session.
 */
export function createCallIds(history: readonly Message[]): ToCallId {
  const taken = new Set<string>();
  return (id, index) => {
    let unique = id;
    for (let n = index; !unique || taken.has(unique); n++) unique = `call-${history.at(-1)?.id ?? 'first'}-${n}`;
    taken.add(unique);
    return unique;
  };
}

/**
 * Arguments as the model wrote them: parsed, or the text itself when it is not JSON. Nothing at all is `{}`. Some
 * servers encode the object twice.
 */
export function parseInput(text: string): unknown {
  if (text.trim() === '') return {};
  const input = parse(text) ?? {};
  const inner = typeof input === 'string' && input !== text ? parse(input) : undefined;
  return isRecord(inner) ? inner : input;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A call's input as the object that the providers demand, also for one that never was JSON. */
export function toInputObject(input: unknown): Record<string, unknown> {
  if (isRecord(input)) return input;
  return { invalid_input: typeof input === 'string' ? input : toWellFormedJson(input) };
}

/** The same as JSON text, for APIs that carry it within a text. */
export function toInputText(input: unknown): string {
  return toWellFormedJson(toInputObject(input));
}
