import type { Event } from '@klaus/sdk';
import type { Output } from './output.ts';
import { out } from './sink.ts';

/** Prints the canonical events as NDJSON on standard output, each when it is durable, and nothing else. */
export function createJsonOutput(): Output {
  return {
    event: (event: Event) => out.json(event),
    recall: undefined,
    live: undefined,
    note: () => {},
    settle: () => {},
  };
}
