import { EXIT } from '../../program/exit-codes.ts';
import { toTestFolder, writeTestFolder } from '../../listing/test-folder.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';

/** `klaus export ID --as test`: a folder with a script, a test that plays it, and the files it begins with. */
export async function exportTest(id: string, options: ServerOptions & { out?: string }): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/listing.ts')).exportTestAt(id, options);
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  const folder = toTestFolder(session.id, options.out);
  const exported = await klaus.exportTest(session.id);
  await klaus.store.recordExport(session.id, { format: 'test', by: 'cli' });
  writeTestFolder(folder, exported);
  return EXIT.done;
}
