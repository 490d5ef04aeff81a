import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { toGivenServer, type ServerOptions } from '../server-option.ts';
import { toMarkdown, toTranscript } from '@klaus/sdk/transcript';

/** `klaus export ID`: the whole session as one document on standard output, written as it is read. The host chain knows of it first. */
export async function exportSession(id: string, options: ServerOptions & { format: 'md' | 'json' }): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../remote/listing.ts')).exportAt(id, options);
  const { stdout } = process;
  await using klaus = await openKlaus();
  const session = klaus.session(id);
  await klaus.store.recordExport(session.id, { format: options.format, by: 'cli' });
  if (options.format === 'md') {
    for (const entry of toTranscript(session.events())) stdout.write(`${toMarkdown(entry)}\n`);
    return EXIT.done;
  }
  stdout.write(`{"session":${JSON.stringify(klaus.store.session(session.id))},\n"events":[`);
  let separator = '\n';
  for (const event of session.events()) {
    stdout.write(`${separator}${JSON.stringify(event)}`);
    separator = ',\n';
  }
  stdout.write('\n]}\n');
  return EXIT.done;
}
