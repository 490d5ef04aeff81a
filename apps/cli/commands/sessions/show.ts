import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';
import { printTranscript } from '../../listing/transcript-text.ts';
import { out } from '../../output/sink.ts';

/** `klaus show ID`: the transcript, or with --json the events as NDJSON. */
export async function show(
  id: string,
  options: ServerOptions & { json?: true; plain?: true; raw?: true },
): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/listing.ts')).showAt(id, options);
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  if (options.json === true) {
    for await (const event of session.events()) out.json(event);
    return EXIT.done;
  }
  printTranscript(await Array.fromAsync(session.events()), options);
  return EXIT.done;
}
