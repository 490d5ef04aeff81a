import { chmodSync, closeSync, existsSync, linkSync, lstatSync, openSync, rmSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { checkDatabaseFile } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';
import { Database } from '../database.ts';
import { toDatabaseFile } from '../open-database.ts';
import { guarded } from '../store-error.ts';
import { KLAUDE_TABLES, toKlaudeViews } from './klaude-views.ts';

/**
 * Writes the state of the database as a new database with the tables of klaude. The file appears when it is complete and
 * can only be read.
 *
 * @param home State folder.
 * @param file Absolute path. It must not exist.
 * @returns Rows by table.
 * @throws KlausError `usage` if the file exists or cannot be created, `config` without a database, `store.full`.
 */
export function exportKlaude(home: string, file: string): Record<string, number> {
  const source = toDatabaseFile(home);
  if (!existsSync(source)) throw new KlausError('config', `There is no database ${source} yet.`);
  guarded(source, () => checkDatabaseFile(source));
  // A link to nowhere exists too.
  if (lstatSync(file, { throwIfNoEntry: false })) throw exists(file);
  const draft = `${file}.${process.pid}.partial`;
  try {
    closeSync(openSync(draft, 'wx', 0o600));
  } catch (cause) {
    throw new KlausError('usage', `${file} cannot be created: ${(cause as Error).message}.`, {
      hint: 'Name a file in a folder that you can write.',
      cause,
    });
  }
  try {
    const counts = fill(draft, source);
    chmodSync(draft, 0o400);
    // Fails if another process was faster.
    try {
      linkSync(draft, file);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(file) : error;
    }
    return counts;
  } finally {
    rmSync(draft, { force: true });
  }
}

function exists(file: string): KlausError {
  return new KlausError('usage', `${file} exists already.`, { hint: 'Name a new file.' });
}

function fill(file: string, source: string): Record<string, number> {
  const target = new Database(file);
  try {
    target.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    target.run('ATTACH ? AS klaus', `${pathToFileURL(source).href}?mode=ro`);
    target.exec(toKlaudeViews('klaus'));
    for (const [name, columns] of Object.entries(KLAUDE_TABLES)) target.exec(`CREATE TABLE main.${name} (${columns})`);
    // One transaction sees one state of the source.
    return target.transaction(() =>
      Object.fromEntries(
        Object.keys(KLAUDE_TABLES).map((name) => [
          name,
          Number(target.run(`INSERT INTO main.${name} SELECT * FROM temp.${name}`).changes),
        ]),
      ),
    );
  } finally {
    target.close();
  }
}
