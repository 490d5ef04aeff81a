import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { FIRST_PREV, KlausError } from '@klaus/core/protocol';
import { addBlobReferences } from '../log/blob-references.ts';
import { DamagedPages } from './damaged-pages.ts';
import type { Locator } from './damaged-pages.ts';
import type { Database } from '../database.ts';
import { lockFile } from '../locks/file-lock.ts';
import { appendHostRecord } from '../log/host-chain.ts';
import { toPromptBlobs } from '../log/inbox.ts';
import { insertRecord, readHead } from '../log/log.ts';
import { buildDatabase, syncFolder, toDatabaseFile } from '../open-database.ts';
import { project } from '../projections/projections.ts';
import { fromRecord, toHash, toObject } from '../log/record.ts';
import { collectHostRow, saveHostChain, type HostRows } from './recover-host.ts';
import { readRows } from './recover-rows.ts';
import { guarded } from '../store-error.ts';
import { toUsersFile } from '../locks/users-file.ts';

export interface RecoveryReport {
  /** The new database. */
  file: string;
  /** Where the damaged files are kept. */
  damaged: string[];
  /** By session: events saved, and the first lost one where something is known to be lost. */
  sessions: { id: string; saved: number; lostFrom?: number }[];
  /** Events saved. */
  events: number;
  /** Waiting commands saved; null when the inbox could not be read. */
  commands: number | null;
  /** Entries of the knowledge base saved; null when it could not be read. */
  knowledge: number | null;
  /** Messages saved that the webhook was not told yet; null when they could not be read. */
  deliveries: number | null;
}

export interface RecoveryOptions {
  /** Names the damaged files. Default: now. */
  at?: Date;
  /** See SqliteStoreOptions. Default 10,240. */
  maxToolResultSize?: number;
}

/** What was found of one session. */
interface Findings {
  records: Map<number, Locator[]>;
  /** Highest seq that is known to have existed. */
  last: number;
  fence: number;
}

interface InboxRow {
  session_id: string;
  command_id: string;
  command: string | null;
  received_at: string;
  consumed_seq: number | null;
}

/**
 * Puts a new database in the place of a damaged one, with every event that can be read and whose chain
 * holds: of each session the records up to the first that is lost. The damaged files are kept beside it.
 *
 * @throws KlausError `store.busy` while any process has the database open, `usage` when there is none.
 */
export function recoverDatabase(home: string, options: RecoveryOptions = {}): RecoveryReport {
  const file = toDatabaseFile(home);
  if (!existsSync(file) && !existsSync(`${file}-wal`)) {
    throw new KlausError('usage', `There is no database in ${home}.`);
  }
  const users = lockFile(toUsersFile(home));
  if (!users) {
    throw new KlausError('store.busy', `A running Klaus has ${file} open.`, {
      hint: 'End every klaus process first.',
      retryable: true,
    });
  }
  try {
    return guarded(file, () => recover(file, options));
  } finally {
    users.release();
  }
}

function recover(file: string, options: RecoveryOptions): RecoveryReport {
  const draft = `${file}.recovered-${randomUUID().slice(0, 8)}`;
  const pages = new DamagedPages(file);
  try {
    const hostRows: HostRows = new Map();
    const found = collect(pages, hostRows);
    const target = buildDatabase(draft);
    const sessions = [...found.keys()].toSorted().map((id) => {
      const findings = found.get(id)!;
      const saved = target.transaction(() => saveSession({ target, pages, id, findings, options }));
      return { id, saved, ...(saved < findings.last && { lostFrom: saved + 1 }) };
    });
    const commands = saveInbox(target, file);
    const knowledge = saveKnowledge(target, file);
    const deliveries = saveOutbox(target, file);
    const at = options.at ?? new Date();
    target.transaction(() => recordRecovery({ target, pages, hostRows, sessions, file, at }));
    target.close();
    const damaged = exchange(file, draft, at);
    const events = sessions.reduce((sum, row) => sum + row.saved, 0);
    return { file, damaged, sessions, events, commands, knowledge, deliveries };
  } finally {
    pages.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Finds every row that can be a record or the head of a chain. Whether it is one, the chain will tell. */
function collect(pages: DamagedPages, hostRows: HostRows): Map<string, Findings> {
  const found = new Map<string, Findings>();
  const of = (session: string): Findings => {
    const known = found.get(session);
    if (known) return known;
    const fresh: Findings = { records: new Map(), last: 0, fence: 1 };
    found.set(session, fresh);
    return fresh;
  };
  for (const { locator, values } of pages.rows()) {
    // events: id (kept as the row id), session_id, seq, type, record
    if (values.length === 5 && values[0] === null) {
      const [, session, seq, type] = values;
      if (typeof session !== 'string' || typeof seq !== 'number' || typeof type !== 'string') continue;
      const findings = of(session);
      findings.records.set(seq, [...(findings.records.get(seq) ?? []), locator]);
      findings.last = Math.max(findings.last, seq);
    }
    collectHostRow(hostRows, locator, values);
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
  return found;
}

/** Saves the host chain, and tells it what of the sessions was saved: what is known to be lost is not missed again. */
function recordRecovery(job: {
  target: Database;
  pages: DamagedPages;
  hostRows: HostRows;
  sessions: RecoveryReport['sessions'];
  file: string;
  at: Date;
}): void {
  const { target, file, at } = job;
  const host = saveHostChain(target, job.pages, job.hostRows);
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

/** Writes the session's records from the first on, as far as the chain holds. Returns how many. */
function saveSession(job: {
  target: Database;
  pages: DamagedPages;
  id: string;
  findings: Findings;
  options: RecoveryOptions;
}): number {
  const { target, pages, id, findings } = job;
  const projection = { maxToolResultSize: job.options.maxToolResultSize ?? 10_240 };
  let prev = FIRST_PREV;
  let saved = 0;
  for (;;) {
    const seq = saved + 1;
    const record = findRecord(pages, findings.records.get(seq) ?? [], { session: id, seq, prev });
    if (record === undefined) break;
    const event = fromRecord(record, { file: target.file, place: `record ${seq} of session ${id}` });
    insertRecord(target, event, record);
    project(target, event, projection);
    prev = toHash(record);
    saved = seq;
  }
  target.run('INSERT INTO heads (session_id, seq, hash, fence) VALUES (?, ?, ?, ?)', id, saved, prev, findings.fence);
  return saved;
}

function findRecord(
  pages: DamagedPages,
  locators: readonly Locator[],
  expected: { session: string; seq: number; prev: string },
): string | undefined {
  for (const locator of locators) {
    for (const preferLog of [true, false]) {
      const record = pages.row(locator, { preferLog })?.[4];
      if (typeof record !== 'string') continue;
      const fields = toObject(record);
      const fits =
        fields?.['session'] === expected.session && fields['seq'] === expected.seq && fields['prev'] === expected.prev;
      if (fits) return record;
    }
  }
  return undefined;
}

/** Copies the inbox: a command that may have been consumed long ago must not be acted on twice. */
function saveInbox(target: Database, file: string): number | null {
  const columns = 'session_id, command_id, command, received_at, consumed_seq';
  const rows = readRows<InboxRow>(file, { table: 'inbox', sql: `SELECT ${columns} FROM inbox ORDER BY id` });
  if (rows === null) return null;
  return target.transaction(() => {
    for (const row of rows) {
      target.run(
        `INSERT INTO inbox (${columns}) VALUES (?, ?, ?, ?, ?)`,
        ...[row.session_id, row.command_id, row.command, row.received_at, row.consumed_seq],
      );
      if (row.command !== null) addBlobReferences(target, row.session_id, toPromptBlobs(JSON.parse(row.command)));
    }
    return rows.filter((row) => row.command !== null).length;
  });
}

type KnowledgeValues = Record<'workspace' | 'key' | 'value' | 'category' | 'created_at' | 'updated_at', string> & {
  session_id: string | null;
};

/** Copies what is remembered. */
function saveKnowledge(target: Database, file: string): number | null {
  const columns = 'workspace, key, value, category, session_id, created_at, updated_at';
  const sql = `SELECT ${columns} FROM knowledge ORDER BY id`;
  const rows = readRows<KnowledgeValues>(file, { table: 'knowledge', sql });
  if (rows === null) return null;
  target.transaction(() => {
    for (const row of rows) {
      target.run(
        `INSERT INTO knowledge (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...[row.workspace, row.key, row.value, row.category, row.session_id, row.created_at, row.updated_at],
      );
    }
  });
  return rows.length;
}

interface OutboxRow {
  session_id: string;
  seq: number;
  body: string;
  created_at: number;
  attempts: number;
  due_at: number;
}

/** Copies what waits in the outbox, where the event that it tells was saved: the next one gets the seq of a lost one. */
function saveOutbox(target: Database, file: string): number | null {
  const columns = 'session_id, seq, body, created_at, attempts, due_at';
  const rows = readRows<OutboxRow>(file, { table: 'outbox', sql: `SELECT ${columns} FROM outbox ORDER BY id` });
  if (rows === null) return null;
  return target.transaction(() => {
    const saved = rows.filter(({ session_id: session, seq }) => seq <= (readHead(target, session)?.seq ?? 0));
    for (const row of saved) {
      target.run(
        `INSERT INTO outbox (${columns}) VALUES (?, ?, ?, ?, ?, ?)`,
        ...[row.session_id, row.seq, row.body, row.created_at, row.attempts, row.due_at],
      );
    }
    return saved.length;
  });
}

/** Moves the damaged files aside and the new one to their place. Returns where the damaged ones are. */
function exchange(file: string, draft: string, at: Date): string[] {
  const aside = `${file}.damaged-${at.toISOString().replaceAll(/[:.]/g, '-')}`;
  const damaged: string[] = [];
  if (existsSync(file)) {
    // A second name first: there is no moment without a database, in which a new empty one would be made.
    linkSync(file, aside);
    damaged.push(aside);
  }
  // Before the new file takes the name: its pages must never meet the old log.
  if (existsSync(`${file}-wal`)) {
    renameSync(`${file}-wal`, `${aside}-wal`);
    damaged.push(`${aside}-wal`);
  }
  rmSync(`${file}-shm`, { force: true });
  renameSync(draft, file);
  syncFolder(dirname(file));
  return damaged;
}
