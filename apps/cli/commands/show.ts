import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { toGivenServer, type ServerOptions } from '../server-option.ts';
import { toTranscriptText } from '../listing/transcript-text.ts';
import { createPaint } from '../output/paint.ts';

/** `klaus show ID`: the transcript, or with --json the events as NDJSON. */
export async function show(id: string, options: ServerOptions & { json?: true; plain?: true }): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../remote/listing.ts')).showAt(id, options);
  await using klaus = await openKlaus();
  const session = klaus.session(id);
  if (options.json === true) {
    for (const event of session.events()) process.stdout.write(`${JSON.stringify(event)}\n`);
    return EXIT.done;
  }
  const paint = createPaint(process.stdout, options.plain ?? false);
  for (const text of toTranscriptText(session.events(), paint)) process.stdout.write(text);
  return EXIT.done;
}
