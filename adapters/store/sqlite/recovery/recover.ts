import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { syncFolder } from '@klaus/adapters/system';
import { FIRST_PREV, KlausError, type Command, type HostEvent } from '@klaus/core/protocol';
import { addBlobReferences } from '../log/blob-references.ts';
import { DamagedPages } from './damaged-pages.ts';
import type { Database } from '../database.ts';
import { lockFile, toUsersFile } from '../locks/file-lock.ts';
import { appendHostRecord, insertHostRecord } from '../log/host-chain.ts';
import { toPromptBlobs } from '../log/inbox.ts';
import { insertRecord, readHead } from '../log/log.ts';
import { markAllSeen } from '../migrations/m015-attention.ts';
import { buildDatabase, toDatabaseFile } from '../open-database.ts';
import { DEFAULT_RESULT_SIZE } from '../../shared/projection-options.ts';
import { project } from '../projections/projections.ts';
import { fromRecord, toObject } from '../log/record.ts';
import { addRow, readFoundChain, type FoundRows } from './found-chain.ts';
import { copyTable, type Row } from './recover-rows.ts';
import { guarded } from '../store-error.ts';

export interface RecoveryReport {
  /** The new database. */
  file: string;
  /** The path of the damaged files. */
  damaged: string[];
  /** By session: saved events, and the first lost one if any are known to be lost. */
  sessions: { id: string; saved: number; lostFrom?: number }[];
  /** Saved events. */
  events: number;
  /** Saved pending commands; null when the inbox could not be read. */
  commands: number | null;
  /** Saved entries of the knowledge base; null when it could not be read. */
  knowledge: number | null;
  /** Saved notifications that were not delivered yet; null when they could not be read. */
  deliveries: number | null;
}

/** The rows that were found for one session. */
interface Findings {
  records: FoundRows;
  /** Highest seq that is known to have existed. */
  last: number;
  fence: number;
}

/**
 * Replaces a damaged database by a new one with all readable events whose chain is intact: of each session the records up
 * to the first lost one. The damaged files are kept.
 *
 * @param options.at Names the damaged files. Default: now.
 * @throws KlausError `store.busy` while any process has the database open, `usage` when there is none.
 */
export function recoverDatabase(home: string, options: { at?: Date } = {}): RecoveryReport {
  const file = toDatabaseFile(home);
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
  const draft = `${file}.recovered-${randomUUID().slice(0, 8)}`;
  const pages = new DamagedPages(file);
  try {
    const { found, hostRows } = collect(pages);
    const target = buildDatabase(draft);
    const sessions = [...found.keys()].toSorted().map((id) => {
      const findings = found.get(id)!;
      const saved = target.transaction(() => saveSession(target, pages, { id, findings }));
      return { id, saved, ...(saved < findings.last && { lostFrom: saved + 1 }) };
    });
    const commands = saveInbox(target, file);
    const knowledge = saveKnowledge(target, file);
    const deliveries = saveOutbox(target, file);
    saveInstances(target, file);
    saveMoves(target, file);
    // What the user has seen is not in the log. An end from before the damage counts as seen.
    target.transaction(() => markAllSeen(target));
    target.transaction(() => recordRecovery(target, pages, { hostRows, sessions, file, at }));
    target.close();
    const damaged = exchange(file, draft, at);
    const events = sessions.reduce((sum, row) => sum + row.saved, 0);
    return { file, damaged, sessions, events, commands, knowledge, deliveries };
  } finally {
    pages.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Finds all rows that may be a record or the head of a chain. The hashes of the chain decide. */
function collect(pages: DamagedPages): { found: Map<string, Findings>; hostRows: FoundRows } {
  const found = new Map<string, Findings>();
  const hostRows: FoundRows = new Map();
  const of = (session: string): Findings => {
    const known = found.get(session);
    if (known) return known;
    const fresh: Findings = { records: new Map(), last: 0, fence: 1 };
    found.set(session, fresh);
    return fresh;
  };
  for (const { locator, values } of pages.rows()) {
    // events: id (stored as the row id), session_id, seq, type, record
    if (values.length === 5 && values[0] === null) {
      const [, session, seq, type] = values;
      if (typeof session !== 'string' || typeof seq !== 'number' || typeof type !== 'string') continue;
      const findings = of(session);
      addRow(findings.records, seq, locator);
      findings.last = Math.max(findings.last, seq);
    }
    // host_events: id (stored as the row id), seq, at, type, subject, record
    if (values.length === 6 && values[0] === null) {
      const [, seq, at, type] = values;
      if (typeof seq !== 'number' || typeof at !== 'number' || typeof type !== 'string') continue;
      addRow(hostRows, seq, locator);
    }
    // heads: session_id, seq, hash, fence
    if (values.length === 4) {
      const [session, seq, hash, fence] = values;
      if (typeof session !== 'string' || typeof seq !== 'number' || typeof fence !== 'number') continue;
      if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) continue;
      const findings = of(session);
      findings.last = Math.max(findings.last, seq);
      findings.fence = Math.max(findings.fence, fence);
    }
  }
  return { found, hostRows };
}

/** Saves the host chain and appends the saved sessions, so that known losses are not reported as missing again. */
function recordRecovery(
  target: Database,
  pages: DamagedPages,
  job: { hostRows: FoundRows; sessions: RecoveryReport['sessions']; file: string; at: Date },
): void {
  const { file, at } = job;
  const host = saveHostChain(target, pages, job.hostRows);
  const sessions = job.sessions.map(({ id, saved, lostFrom }) => ({
    session: id,
    saved,
    head: readHead(target, id)?.hash ?? FIRST_PREV,
    ...(lostFrom !== undefined && { lostFrom }),
  }));
  const damaged = [file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => basename(path));
  appendHostRecord(target, {
    body: { type: 'database.recovered', damaged, sessions, host },
    at: at.getTime(),
  });
}

/** Writes the records of the host chain from the first one on, as long as the chain is intact. */
function saveHostChain(target: Database, pages: DamagedPages, rows: FoundRows): { saved: number; lostFrom?: number } {
  let saved = 0;
  for (const { record } of readFoundChain(pages, rows, { column: 5 })) {
    insertHostRecord(target, toObject(record) as HostEvent, record);
    saved += 1;
  }
  const last = Math.max(0, ...rows.keys());
  return { saved, ...(saved < last && { lostFrom: saved + 1 }) };
}

/** Writes the session's records from the first one on, as long as the chain is intact. Returns their number. */
function saveSession(
  target: Database,
  pages: DamagedPages,
  { id, findings }: { id: string; findings: Findings },
): number {
  let head = FIRST_PREV;
  let saved = 0;
  for (const { record, hash } of readFoundChain(pages, findings.records, { column: 4, session: id })) {
    saved += 1;
    const event = fromRecord(record, { file: target.file, place: `record ${saved} of session ${id}` });
    insertRecord(target, event, record);
    project(target, event, { maxToolResultSize: DEFAULT_RESULT_SIZE });
    head = hash;
  }
  target.run('INSERT INTO heads (session_id, seq, hash, fence) VALUES (?, ?, ?, ?)', id, saved, head, findings.fence);
  return saved;
}

/** Copies the inbox completely or not at all: a consumed command must not have a second effect. */
function saveInbox(target: Database, file: string): number | null {
  const columns = ['session_id', 'command_id', 'command', 'received_at', 'consumed_seq'] as const;
  const rows = copyTable(target, file, { table: 'inbox', columns });
  if (rows === null) return null;
  const pending = rows.filter(({ command }) => command !== null);
  target.transaction(() => {
    for (const { session_id: session, command } of pending) {
      addBlobReferences(target, String(session), toPromptBlobs(JSON.parse(String(command)) as Command));
    }
  });
  return pending.length;
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
function saveMoves(target: Database, file: string): void {
  copyTable(target, file, { table: 'session_moves', columns: ['session_id', 'state', 'place', 'at'] });
}

/** Copies the list of terminals and scripts, to which sessions refer. None of them runs: the database is not in use. */
function saveInstances(target: Database, file: string): void {
  const columns = ['id', 'project_hash', 'root', 'pid', 'process', 'tty', 'socket', 'started_at'] as const;
  const more = ['ended_at', 'exit_code', 'session_id'] as const;
  copyTable(target, file, { table: 'instances', columns: [...columns, ...more] });
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
