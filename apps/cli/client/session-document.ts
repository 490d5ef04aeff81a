import type { Event } from '@klaus/sdk';
import { toSafeJson } from '@klaus/sdk/printable';
import { toMarkdown, toTranscript } from '@klaus/sdk/transcript';

/** A session as one document, in pieces that are made as they are read. */
export function* toDocument(given: {
  row: unknown;
  events: Iterable<Event>;
  format: 'md' | 'json';
}): Generator<string, void, undefined> {
  if (given.format === 'md') {
    for (const entry of toTranscript(given.events)) yield `${toMarkdown(entry)}\n`;
    return;
  }
  yield `{"session":${toSafeJson(given.row)},\n"events":[`;
  let separator = '\n';
  for (const event of given.events) {
    yield `${separator}${toSafeJson(event)}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}
