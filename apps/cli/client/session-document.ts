import type { Klaus } from '@klaus/sdk';
import { toSafeJson } from '@klaus/sdk/printable';
import { toMarkdown, toTranscript } from '@klaus/sdk/transcript';

/** A session as one document, in pieces that are made as they are read. @param id The full id. */
export async function* toDocument(
  klaus: Klaus,
  id: string,
  { format, language }: { format: 'md' | 'json' | 'html'; language?: 'en' | 'de' },
): AsyncGenerator<string, void, undefined> {
  const events = klaus.handle(id).events();
  if (format === 'html') return yield await klaus.shareHtml(id, { language });
  if (format === 'md') {
    for (const entry of toTranscript(await Array.fromAsync(events)))
      yield `${toMarkdown(entry, { full: `klaus show ${id} --full` })}\n`;
    return;
  }
  yield `{"session":${toSafeJson(await klaus.store.session(id))},\n"events":[`;
  let separator = '\n';
  for await (const event of events) {
    yield `${separator}${toSafeJson(event)}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}
