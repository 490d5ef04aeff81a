import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { checkDatabaseFile } from '@klaus/adapters/system';
import { KlausError, messageOf } from '@klaus/core/protocol';
import { toDatabaseFile } from '../open-database.ts';
import { guarded } from '../store-error.ts';
import { toKlaudeViews } from './klaude-views.ts';

type QueryRow = Record<string, SQLOutputValue>;

export interface QueryResult {
  rows: QueryRow[];
  /** True when there are more rows than the limit. */
  more: boolean;
}

/** The beginning of a statement that only reads. */
const READS = /^\s*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(?:SELECT|WITH|VALUES|EXPLAIN)\b/i;
/** A second statement; not a semicolon in a string. */
const SECOND = /;(?=(?:[^'"]|'(?:[^']|'')*'|"(?:[^"]|"")*")*$)\s*\S/;

/**
 * Runs one statement that reads, over a connection that cannot write.
 *
 * @param home State folder.
 * @param options.limit Rows at most.
 * @param options.klaude True: the tables have the names and columns of klaude. Default false.
 * @throws KlausError `usage` for other statements, and for an error of SQLite; `config` without a database.
 */
export function queryDatabase(
  home: string,
  sql: string,
  { limit, klaude = false }: { limit: number; klaude?: boolean },
): QueryResult {
  if (!READS.test(sql) || SECOND.test(sql)) {
    throw new KlausError('usage', 'Only one statement that reads is allowed: SELECT, WITH, VALUES or EXPLAIN.');
  }
  const file = toDatabaseFile(home);
  if (!existsSync(file)) throw new KlausError('config', `There is no database ${file} yet.`);
  guarded(file, () => checkDatabaseFile(file));
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    // Views of this connection: the file is not changed.
    if (klaude) database.exec(toKlaudeViews('main'));
    database.exec('PRAGMA query_only = 1; PRAGMA trusted_schema = 0');
    const rows: QueryRow[] = [];
    for (const row of database.prepare(sql).iterate()) {
      if (rows.length === limit) return { rows, more: true };
      rows.push({ ...row });
    }
    return { rows, more: false };
  } catch (error) {
    throw new KlausError('usage', `SQLite reports an error: ${messageOf(error)}.`, {
      hint: 'docs/database.md has the tables.',
      cause: error,
    });
  } finally {
    database.close();
  }
}
