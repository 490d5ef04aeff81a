import { KlausError, type BlobRef, type Command } from '@klaus/core/protocol';
import { addBlobReferences } from './blob-references.ts';
import type { Database } from '../database.ts';
import { corrupt, newer } from '../store-error.ts';
import { checkNotMoved } from '../transfer/moves.ts';
import { findDamage, toCommands, toReadableCommands, type CommandRow } from '../../shared/stored-command.ts';

/**
 * Stores a command; false when its id is already known. Runs in the caller's transaction.
 *
 * @throws KlausError `session.moved`.
 */
export function putCommand(
  database: Database,
  options: { session: string; command: Command; receivedAt: number },
): boolean {
  const { session, command } = options;
  checkNotMoved(database, session);
  const sql =
    'INSERT INTO inbox (session_id, command_id, command, received_at) VALUES (?, ?, ?, ?) ' +
    'ON CONFLICT (session_id, command_id) DO NOTHING';
  const at = new Date(options.receivedAt).toISOString();
  const isNew = database.run(sql, session, command.id, JSON.stringify(command), at).changes === 1;
  if (isNew) addBlobReferences(database, session, toPromptBlobs(command));
  return isNew;
}

export function toPromptBlobs(command: Command): BlobRef[] {
  if (command.type !== 'prompt') return [];
  return command.parts.flatMap((part) => (part.type === 'file' && part.blob ? [part.blob] : []));
}

/**
 * Commands that are not consumed yet, in order of arrival.
 *
 * @throws KlausError `store.corrupt` for one that cannot be read, or that a newer version wrote.
 */
export function readInbox(database: Database, session: string): Command[] {
  const { file } = database;
  return toCommands(session, readWaiting(database, session), ({ kind, what }) =>
    kind === 'newer' ? newer(file, what) : corrupt(file, what),
  );
}

/** The same for lists: without those that this version cannot read. */
export function readReadableInbox(database: Database, session: string): Command[] {
  return toReadableCommands(session, readWaiting(database, session));
}

/** Why a command of the session cannot be read; undefined if all can, or if a newer version wrote it. */
export function findDamagedCommand(database: Database, session: string): string | undefined {
  return findDamage(session, readWaiting(database, session));
}

function readWaiting(database: Database, session: string): CommandRow[] {
  const sql =
    'SELECT command_id AS id, command FROM inbox WHERE session_id = ? AND consumed_seq IS NULL ORDER BY inbox.id';
  return database.all<CommandRow>(sql, session);
}

/**
 * Marks commands as consumed by the events up to `seq`. Runs in the caller's transaction.
 *
 * @throws KlausError `internal` when one is not in the inbox: no command may have an effect twice.
 */
export function consumeCommands(
  database: Database,
  options: { session: string; ids: readonly string[]; seq: number },
): void {
  const sql =
    'UPDATE inbox SET consumed_seq = ?, command = NULL ' +
    'WHERE session_id = ? AND command_id = ? AND consumed_seq IS NULL';
  for (const id of options.ids) {
    if (database.run(sql, options.seq, options.session, id).changes !== 1) {
      throw new KlausError('internal', `Command ${id} is not waiting in the inbox of session ${options.session}.`);
    }
  }
}

/** Arrival number of the session's newest command; 0 without one. */
export function newestArrival(database: Database, session: string): number {
  const sql = 'SELECT max(id) AS id FROM inbox WHERE session_id = ? AND consumed_seq IS NULL';
  return database.get<{ id: number | null }>(sql, session)?.id ?? 0;
}
