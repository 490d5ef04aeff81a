import type { AuditOptions, AuditReport, ChainReport } from '@klaus/core/agent';
import { verifyChain, verifyHostChain } from './chain.ts';
import { findAlteredCheckpoint } from '../projections/state-cache.ts';
import type { Database } from '../database.ts';
import { createDerivedCheck, listDerivedSessions, type DerivedCheck } from '../projections/derived.ts';

/** Walks the host chain and those of the sessions, in one state of the database. */
export function audit(database: Database, options: AuditOptions = {}): AuditReport {
  return database.snapshot(() => {
    using derived = createDerivedCheck(database);
    const { report, knownHashes, head } = verifyHostChain(database);
    let host = report;
    if (options.head && host.intact) host = checkNoted(database, host, options.head);
    const sessions: AuditReport['sessions'] = [];
    const ids = options.session === undefined ? listIds(database, knownHashes.keys()) : [options.session];
    for (const session of ids) {
      const found = verifyChain(database, session, knownHashes.get(session));
      const checked = withCheckpoint(database, session, found.report);
      sessions.push({ session, report: withDerived(derived, session, checked) });
      if (found.unanchored !== undefined && host.intact) {
        host = toDropped(host.records, `it does not know of record ${found.unanchored} of session ${session}`);
      }
    }
    return { intact: host.intact && sessions.every((row) => row.report.intact), host, head, sessions };
  });
}

/** Walks the chain of one session, with what the host chain says of it. What is made from the log only `audit` looks at. */
export function verifySession(database: Database, session: string): ChainReport {
  return database.snapshot(() => {
    const { knownHashes } = verifyHostChain(database);
    return withCheckpoint(database, session, verifyChain(database, session, knownHashes.get(session)).report);
  });
}

/** Of a log that is whole, what was folded from it and kept must be what it comes to: a session goes on from there. */
function withCheckpoint(database: Database, session: string, report: ChainReport): ChainReport {
  const seq = report.intact ? findAlteredCheckpoint(database, session) : undefined;
  if (seq === undefined) return report;
  const message = `The state that was kept at record ${seq} was altered: the records say something else.`;
  return { intact: false, records: report.records, seq, problem: 'altered', message };
}

/** Lists and totals are read from tables that the log fills: they must say what the log says. */
function withDerived(derived: DerivedCheck, session: string, report: ChainReport): ChainReport {
  const table = report.intact ? derived.findAltered(session) : undefined;
  if (table === undefined) return report;
  const { records } = report;
  const message = `The table ${table} was altered: the records of the session come to something else.`;
  return { intact: false, records, seq: records, problem: 'altered', message };
}

function checkNoted(database: Database, host: ChainReport, noted: { seq: number; hash: string }): ChainReport {
  if (noted.seq > host.records) return toDropped(host.records, `record ${noted.seq} was there when it was noted`);
  const next = database.get<{ prev: string }>(
    `SELECT coalesce((SELECT json_extract(record, '$.prev') FROM host_events WHERE seq = ?1 + 1),
      (SELECT hash FROM host_head WHERE seq = ?1)) AS prev`,
    noted.seq,
  );
  if (next?.prev === noted.hash) return host;
  const message = `Record ${noted.seq} or one before it was altered: it has another hash than the one noted.`;
  return { intact: false, records: 0, seq: 1, problem: 'altered', message };
}

function toDropped(records: number, why: string): ChainReport {
  const seq = records + 1;
  return { intact: false, records, seq, problem: 'dropped', message: `Record ${seq} is missing: ${why}.` };
}

/** Sessions that have a record or a head, and those that should have. */
function listIds(database: Database, anchored: Iterable<string>): string[] {
  const sql = 'SELECT session_id AS id FROM heads WHERE seq > 0 UNION SELECT session_id FROM events';
  const ids = new Set(database.all<{ id: string }>(sql).map((row) => row.id));
  for (const id of [...listDerivedSessions(database), ...anchored]) ids.add(id);
  return [...ids].toSorted();
}
