import { resolve } from 'node:path';
import type { QueryResult, RecoveryReport } from '@klaus/adapters/store';
import { toHome } from './config/home.ts';

/**
 * Saves the readable part of a damaged database. The damaged files are renamed and kept.
 *
 * @param options.home State folder. Default: `KLAUS_HOME`, else `~/.klaus`.
 * @throws KlausError `store.busy` while a process has the database open.
 */
export async function recoverDatabase(options: { home?: string } = {}): Promise<RecoveryReport> {
  const store = await import('@klaus/adapters/store');
  const home = toHome(process.env, process.cwd(), options.home);
  return store.recoverDatabase(home);
}

/**
 * Runs one statement that reads, over a connection that cannot write.
 *
 * @param options.home State folder. Default: `KLAUS_HOME`, else `~/.klaus`.
 * @param options.limit Rows at most. Default: 1,000.
 * @param options.klaude True: the tables have the names and columns of klaude, as in {@link exportKlaude}. Default false.
 * @throws KlausError `usage` for other statements, and for an error of SQLite; `config` without a database.
 */
export async function queryDatabase(
  sql: string,
  options: { home?: string; limit?: number; klaude?: boolean } = {},
): Promise<QueryResult> {
  const store = await import('@klaus/adapters/store');
  const home = toHome(process.env, process.cwd(), options.home);
  return store.queryDatabase(home, sql, { limit: options.limit ?? 1_000, klaude: options.klaude ?? false });
}

/**
 * Writes all sessions as a new database with the tables of klaude: `projects`, `instances`, `sessions`,
 * `claude_session_links`, `runtime_process`, `events`. The file can only be read.
 *
 * @param file It must not exist.
 * @param options.home State folder. Default: `KLAUS_HOME`, else `~/.klaus`.
 * @returns Rows by table.
 * @throws KlausError `usage` if the file exists or cannot be created, `config` without a database.
 */
export async function exportKlaude(file: string, options: { home?: string } = {}): Promise<Record<string, number>> {
  const store = await import('@klaus/adapters/store');
  const home = toHome(process.env, process.cwd(), options.home);
  return store.exportKlaude(home, resolve(file));
}
