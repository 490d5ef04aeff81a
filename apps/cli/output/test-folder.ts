import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { UsageError } from '../program/cli-error.ts';
import { err, out } from '../output/sink.ts';

/**
 * The folder for a session that is exported as a test.
 *
 * @throws UsageError if it exists.
 */
export function toTestFolder(session: string, out: string | undefined): string {
  const folder = resolve(out ?? `klaus-test-${session}`);
  if (existsSync(folder)) throw new UsageError(`${folder} exists already.`, 'Pass another folder to `--out`.');
  return folder;
}

/** Writes the test, and prints how to run it. @throws Error for a file outside of the folder; nothing is written then. */
export function writeTestFolder(
  folder: string,
  { files, notes }: { files: ReadonlyMap<string, Uint8Array>; notes: readonly string[] },
): void {
  const paths = new Map([...files.keys()].map((path) => [path, resolve(folder, path)]));
  // The paths may come from a server.
  for (const [path, file] of paths) {
    if (!file.startsWith(`${folder}${sep}`)) throw new Error(`The file ${path} would be outside of ${folder}.`);
  }
  for (const [path, content] of files) {
    mkdirSync(dirname(paths.get(path)!), { recursive: true });
    writeFileSync(paths.get(path)!, content);
  }
  out.write(`${toPrintable(folder)}: ${formatNumber(files.size, 'file')}\n`);
  for (const note of notes) err.write(`${toPrintable(note)}\n`);
  err.write(`Run it with node --test ${toPrintable(join(folder, 'session.test.mjs'))}\n`);
}
