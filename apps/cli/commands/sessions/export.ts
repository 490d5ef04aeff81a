import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';
import { out } from '../../output/sink.ts';
import { toPrintable, toSafeJson } from '@klaus/sdk/printable';
import { toMarkdown, toTranscript } from '@klaus/sdk/transcript';

export interface ExportOptions extends ServerOptions {
  format: 'md' | 'json';
  raw?: true;
}

/** `klaus export ID`: the whole session as one document on standard output, written as it is read. The host chain knows of it first. */
export async function exportSession(id: string, options: ExportOptions): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/listing.ts')).exportAt(id, options);
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  await klaus.store.recordExport(session.id, { format: options.format, by: 'cli' });
  if (options.format === 'md') {
    for (const entry of toTranscript(await Array.fromAsync(session.events())))
      printDocument(`${toMarkdown(entry)}\n`, options);
    return EXIT.done;
  }
  out.write(`{"session":${toSafeJson(await klaus.store.session(session.id))},\n"events":[`);
  let separator = '\n';
  for await (const event of session.events()) {
    out.write(`${separator}${toSafeJson(event)}`);
    separator = ',\n';
  }
  out.write('\n]}\n');
  return EXIT.done;
}

/** A part of a Markdown document: as it is with `--raw`, shown for a person at a terminal, safe for a file. */
export function printDocument(text: string, { raw }: { raw?: true }): void {
  if (raw) out.raw(text);
  else out.write(out.isTTY ? toPrintable(text) : text);
}
