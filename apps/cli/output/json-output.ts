import type { Event } from '@klaus/sdk';
import type { Output } from './output.ts';

/** The canonical events as NDJSON on standard output, each when it has become durable, and nothing else. */
export function createJsonOutput(): Output {
  return {
    event: (event: Event) => void process.stdout.write(`${JSON.stringify(event)}\n`),
    recall: undefined,
    live: undefined,
    note: () => {},
    settle: () => {},
  };
}
