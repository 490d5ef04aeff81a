import type { Event } from '@klaus/sdk';
import type { Output } from './output.ts';
import { out } from './sink.ts';

/** The canonical events as NDJSON on standard output, each when it has become durable, and nothing else. */
export function createJsonOutput(): Output {
  return {
    event: (event: Event) => out.json(event),
    recall: undefined,
    live: undefined,
    note: () => {},
    settle: () => {},
  };
}
