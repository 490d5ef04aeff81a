import { EXIT } from '../../program/exit-codes.ts';
import { MAX_PLACES, printRecalled } from '../../listing/recalled-text.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';

/** `klaus show ID --grep WORDS`: where in the session's messages, calls and results the words stand. */
export async function grep(
  id: string,
  query: string,
  options: ServerOptions & { json?: true; plain?: true },
): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/listing.ts')).grepAt(id, query, options);
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  printRecalled(session.id, await session.recall.search(query, { limit: MAX_PLACES }), options);
  return EXIT.done;
}
