import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { UsageError } from '../report-error.ts';
import { refuseServer, type ServerOptions } from '../server-option.ts';

/** `klaus export ID --as test`: a folder with a script, a test that plays it, and the files it begins with. */
export async function exportTest(id: string, options: ServerOptions & { out?: string }): Promise<number> {
  refuseServer(options, 'klaus export --as test');
  await using klaus = await openKlaus();
  const session = klaus.session(id);
  const folder = resolve(options.out ?? `klaus-test-${session.id}`);
  if (existsSync(folder)) throw new UsageError(`${folder} is there already.`, 'Name another folder with --out.');
  const exported = await klaus.exportTest(session.id);
  await klaus.store.recordExport(session.id, { format: 'test', by: 'cli' });
  for (const [path, content] of exported.files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  process.stdout.write(`${toPrintable(folder)}: ${formatNumber(exported.files.size, 'file')}\n`);
  for (const note of exported.notes) process.stderr.write(`${toPrintable(note)}\n`);
  process.stderr.write(`Run it with node --test ${toPrintable(join(folder, 'session.test.mjs'))}\n`);
  return EXIT.done;
}
