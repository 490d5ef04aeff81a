import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { checkDatabaseFile, syncFolder } from '@klaus/adapters/system';
import { FIRST_PREV, HOST_EVENT_VERSION, KlausError, type HostEvent } from '@klaus/core/protocol';
import { addBlobReferences } from '../log/blob-references.ts';
import { DamagedPages } from './damaged-pages.ts';
import type { Database } from '../database.ts';
import { lockFile, toUsersFile } from '../locks/file-lock.ts';
import { appendHostRecord, insertHostRecord } from '../log/host-chain.ts';
import { toPromptBlobs } from '../log/inbox.ts';
import { insertRecord, readHead } from '../log/log.ts';
import { listApplied, refuseUnknown } from '../migrations/migrate.ts';
import { markAllSeen } from '../migrations/m015-attention.ts';
import { buildDatabase, toDatabaseFile } from '../open-database.ts';
import { DEFAULT_RESULT_SIZE } from '../../shared/projection-options.ts';
import { project } from '../projections/projections.ts';
import { fromRecord, toVersioned } from '../log/record.ts';
import { collectKnownHashes, type KnownHashes } from '../../shared/session-records.ts';
import { findDamage, toReadableCommands, type CommandRow } from '../../shared/stored-command.ts';
import { readIntactChain } from './found-chain.ts';
import { findRows, type FoundChain, type FoundSession } from './found-rows.ts';
import { copyTable, readDamaged, type Row } from './recover-rows.ts';
import { guarded } from '../store-error.ts';

export interface RecoveryReport {
  /** The new database. */
  file: string;
  /** The path of the damaged files. */
  damaged: string[];
  /** By session: saved events, and the first one that was left out, if any are known to be lost or altered. */
  sessions: { id: string; saved: number; lostFrom?: number }[];
  /** Saved events. */
  events: number;
  /** Saved pending commands; null when the inbox could not be read. */
  commands: number | null;
  /** Pending commands that were left out, because they could not be read; null when the inbox could not be read. */
  lostCommands: number | null;
  /** Saved entries of the knowledge base; null when it could not be read. */
  knowledge: number | null;
  /** Saved notifications that were not delivered yet; null when they could not be read. */
  deliveries: number | null;
}

/**
 * Replaces a damaged database by a new one with all readable events whose chain is intact: of each session the records up
 * to the first one that is lost, altered or contradicts the host chain. The damaged files are kept. The host chain gets a
 * record of what was left out, which an audit reports.
 *
 * @param options.at Names the damaged files. Default: now.
 * @throws KlausError `store.busy` while any process has the database open, `usage` when there is none, `store.corrupt` for
 *   one of a newer version, which stays as it is.
 */
export function recoverDatabase(home: string, options: { at?: Date } = {}): RecoveryReport {
  const file = toDatabaseFile(home);
  guarded(file, () => checkDatabaseFile(file));
  if (!existsSync(file) && !existsSync(`${file}-wal`)) {
    throw new KlausError('usage', `There is no database in ${home}.`);
  }
  const users = lockFile(toUsersFile(home));
  if (!users) {
    throw new KlausError('store.busy', `A running Klaus has ${file} open.`, {
      hint: 'Stop all klaus processes first.',
      retryable: true,
    });
  }
  try {
    return guarded(file, () => recover(file, options.at ?? new Date()));
  } finally {
    users.release();
  }
}

function recover(file: string, at: Date): RecoveryReport {
  // This version would drop the tables of a newer one. Where SQLite cannot read the steps, the pages are searched for them.
  refuseUnknown(file, readDamaged(file, listApplied) ?? []);
  const draft = `${file}.recovered-${randomUUID().slice(0, 8)}`;
  const pages = new DamagedPages(file);
  try {
    const found = findRows(pages);
    refuseUnknown(file, found.steps);
    const target = buildDatabase(draft);
    const host = target.transaction(() => saveHostChain(target, pages, { found: found.host, file }));
    const sessions = saveSessions(target, pages, { found: found.sessions, anchors: host.anchors, file });
    const commands = saveInbox(target, file);
    const knowledge = saveKnowledge(target, file);
    const deliveries = saveOutbox(target, file);
    const instances = saveInstances(target, file);
    const moves = saveMoves(target, file);
    // What the user has seen is not in the log. An end from before the damage counts as seen.
    target.transaction(() => markAllSeen(target));
    const isUnread = { inbox: commands === null || commands.lost > 0, knowledge: knowledge === null };
    const unread = { ...isUnread, outbox: deliveries === null, instances: !instances, session_moves: !moves };
    const damaged = [file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => basename(path));
    appendHostRecord(target, {
      body: {
        type: 'database.recovered',
        damaged,
        sessions: sessions.map(({ id, ...row }) => ({ session: id, ...row })),
        host: host.saved,
        unread: Object.entries(unread).flatMap(([table, isLost]) => (isLost ? [table] : [])),
      },
      at: at.getTime(),
    });
    target.close();
    return {
      file,
      damaged: exchange(file, draft, at),
      sessions: sessions.map(({ id, saved, lostFrom }) => ({ id, saved, ...(lostFrom !== undefined && { lostFrom }) })),
      events: sessions.reduce((sum, row) => sum + row.saved, 0),
      commands: commands?.saved ?? null,
      lostCommands: commands?.lost ?? null,
      knowledge,
      deliveries,
    };
  } finally {
    pages.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Saves the host chain. Returns the ends of the chains of sessions that it contains. */
function saveHostChain(
  target: Database,
  pages: DamagedPages,
  { found, file }: { found: FoundChain; file: string },
): { saved: Loss & { saved: number }; anchors: Map<string, KnownHashes> } {
  const anchors = new Map<string, KnownHashes>();
  let saved = 0;
  for (const { record } of readIntactChain(pages, found.records, { column: 5, heads: found.heads })) {
    saved += 1;
    const event = toVersioned(record, HOST_EVENT_VERSION, { file, place: `record ${saved} of the host chain` });
    insertHostRecord(target, event as unknown as HostEvent, record);
    collectKnownHashes(anchors, event as unknown as HostEvent);
  }
  return { saved: { saved, ...toLoss(saved, found.last) }, anchors };
}

type SavedSession = Loss & { id: string; saved: number; head: string; anchor?: { records: number; head: string } };

/** Saves all sessions that were found. Returns also those that only the host chain contains. */
function saveSessions(
  target: Database,
  pages: DamagedPages,
  {
    found,
    anchors,
    file,
  }: { found: ReadonlyMap<string, FoundSession>; anchors: Map<string, KnownHashes>; file: string },
): SavedSession[] {
  return [...new Set([...found.keys(), ...anchors.keys()])].toSorted().map((id) => {
    const session = found.get(id);
    const known = anchors.get(id) ?? new Map<number, string>();
    const { saved, head } = session
      ? target.transaction(() => saveSession(target, pages, { id, found: session, anchors: known, file }))
      : { saved: 0, head: FIRST_PREV };
    const records = Math.max(0, ...known.keys());
    const loss = toLoss(saved, Math.max(records, session?.last ?? 0));
    const anchor = loss.lostFrom !== undefined && records > 0 ? { anchor: { records, head: known.get(records)! } } : {};
    return { id, saved, head, ...loss, ...anchor };
  });
}

interface Loss {
  /** Seq of the first record that was left out. */
  lostFrom?: number;
  /** Seq of the last one that is known to have existed. */
  last?: number;
}

function toLoss(saved: number, last: number): Loss {
  return saved < last ? { lostFrom: saved + 1, last } : {};
}

/** Writes the session's records from the first one on, as long as the chain is intact. */
function saveSession(
  target: Database,
  pages: DamagedPages,
  { id, found, anchors, file }: { id: string; found: FoundSession; anchors: KnownHashes; file: string },
): { saved: number; head: string } {
  const { records, heads, fence } = found;
  let head = FIRST_PREV;
  let saved = 0;
  for (const { record, hash } of readIntactChain(pages, records, { column: 4, session: id, heads, anchors })) {
    saved += 1;
    const event = fromRecord(record, { file, place: `record ${saved} of session ${id}` });
    insertRecord(target, event, record);
    project(target, event, { maxToolResultSize: DEFAULT_RESULT_SIZE });
    head = hash;
  }
  target.run('INSERT INTO heads (session_id, seq, hash, fence) VALUES (?, ?, ?, ?)', id, saved, head, fence);
  return { saved, head };
}

/**
 * Copies the inbox, or nothing of it if it cannot be read completely: a consumed command must not have a second effect.
 * Waiting commands that are damaged are left out.
 */
function saveInbox(target: Database, file: string): { saved: number; lost: number } | null {
  const columns = ['session_id', 'command_id', 'command', 'received_at', 'consumed_seq'] as const;
  let lost = 0;
  const isSaved = (row: Row<(typeof columns)[number]>): boolean => {
    if (row.consumed_seq !== null || findDamage(String(row.session_id), [toCommandRow(row)]) === undefined) return true;
    lost += 1;
    return false;
  };
  const rows = copyTable(target, file, { table: 'inbox', columns, isSaved });
  if (rows === null) return null;
  const pending = rows.filter((row) => row.consumed_seq === null);
  target.transaction(() => {
    for (const row of pending) {
      const session = String(row.session_id);
      const [command] = toReadableCommands(session, [toCommandRow(row)]);
      if (command) addBlobReferences(target, session, toPromptBlobs(command));
    }
  });
  return { saved: pending.length, lost };
}

function toCommandRow(row: Row<'command_id' | 'command'>): CommandRow {
  return { id: String(row.command_id), command: row.command === null ? null : String(row.command) };
}

function saveKnowledge(target: Database, file: string): number | null {
  const columns = ['workspace', 'key', 'value', 'category', 'session_id', 'created_at', 'updated_at'] as const;
  return copyTable(target, file, { table: 'knowledge', columns })?.length ?? null;
}

/** Copies the notifications whose event was saved: a later event will get the seq of a lost one. */
function saveOutbox(target: Database, file: string): number | null {
  const columns = ['session_id', 'seq', 'body', 'created_at', 'attempts', 'due_at'] as const;
  const isSaved = ({ session_id: session, seq }: Row<'session_id' | 'seq'>): boolean =>
    Number(seq) <= (readHead(target, String(session))?.seq ?? 0);
  return copyTable(target, file, { table: 'outbox', columns, isSaved })?.length ?? null;
}

/** Without it a session that was moved could run at two places. */
function saveMoves(target: Database, file: string): boolean {
  const columns = ['session_id', 'state', 'place', 'at'] as const;
  return copyTable(target, file, { table: 'session_moves', columns }) !== null;
}

/** Copies the list of terminals and scripts, to which sessions refer. None of them runs: the database is not in use. */
function saveInstances(target: Database, file: string): boolean {
  const columns = ['id', 'project_hash', 'root', 'pid', 'process', 'tty', 'socket', 'started_at'] as const;
  const more = ['ended_at', 'exit_code', 'session_id'] as const;
  return copyTable(target, file, { table: 'instances', columns: [...columns, ...more] }) !== null;
}

/** Renames the damaged files and moves the new one to their path. Returns the path of the damaged ones. */
function exchange(file: string, draft: string, at: Date): string[] {
  const aside = `${file}.damaged-${at.toISOString().replaceAll(/[:.]/g, '-')}`;
  const damaged: string[] = [];
  if (existsSync(file)) {
    // The damaged file gets a second name first. Without a database at its path, another process would create an empty one.
    linkSync(file, aside);
    damaged.push(aside);
  }
  // Before the new file is moved here: the old write-ahead log must not be applied to it.
  if (existsSync(`${file}-wal`)) {
    renameSync(`${file}-wal`, `${aside}-wal`);
    damaged.push(`${aside}-wal`);
  }
  rmSync(`${file}-shm`, { force: true });
  renameSync(draft, file);
  syncFolder(dirname(file));
  return damaged;
}
