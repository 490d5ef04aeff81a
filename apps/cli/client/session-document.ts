import type { Event } from '@klaus/sdk';
import { toSafeJson } from '@klaus/sdk/printable';
import { toMarkdown, toTranscript } from '@klaus/sdk/transcript';

/** A session as one document, in pieces that are made as they are read. */
export async function* toDocument(given: {
  row: unknown;
  events: AsyncIterable<Event>;
  format: 'md' | 'json';
}): AsyncGenerator<string, void, undefined> {
  if (given.format === 'md') {
    for (const entry of toTranscript(await Array.fromAsync(given.events))) yield `${toMarkdown(entry)}\n`;
    return;
  }
  yield `{"session":${toSafeJson(given.row)},\n"events":[`;
  let separator = '\n';
  for await (const event of given.events) {
    yield `${separator}${toSafeJson(event)}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}
