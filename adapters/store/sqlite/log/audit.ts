import type { AuditOptions, AuditReport, ChainReport } from '@klaus/core/agent';
import { toReportedRecoveries } from '../../shared/recoveries.ts';
import { findForged } from '../../shared/remembered-proof.ts';
import type { StoredRemembered } from '../../shared/remembered-row.ts';
import { toDamagedInbox } from '../../shared/stored-command.ts';
import { verifyChain, verifyHostChain } from './chain.ts';
import { findDamagedCommand } from './inbox.ts';
import { findAlteredState } from '../projections/state-cache.ts';
import type { Database } from '../database.ts';
import { createDerivedCheck, listDerivedSessions, type DerivedCheck } from '../projections/derived.ts';

/** Verifies the host chain and those of the sessions, in one state of the database. */
export function audit(database: Database, options: AuditOptions = {}): AuditReport {
  return database.snapshot(() => {
    using derived = createDerivedCheck(database);
    const { report, knownHashes, head, recoveries: recorded, remembered } = verifyHostChain(database);
    let host = report;
    if (options.head && host.intact) host = checkNoted(database, host, options.head);
    const planted = derived.findPlanted();
    if (planted !== undefined && host.intact) host = toPlanted(host.records, planted);
    const sessions: AuditReport['sessions'] = [];
    const ids = options.session === undefined ? listIds(database, knownHashes.keys()) : [options.session];
    for (const session of ids) {
      const found = verifyChain(database, session, knownHashes.get(session));
      const checked = withCachedState(database, session, found.report);
      const report = withInbox(database, session, withDerived(derived, session, checked));
      sessions.push({ session, report });
      if (found.unrecorded !== undefined && host.intact) {
        host = toDropped(host.records, `it does not contain record ${found.unrecorded} of session ${session}`);
      }
    }
    if (options.session === undefined) sessions.push(...findForged(listOrphans(database), remembered));
    const recoveries = toReportedRecoveries(recorded, options);
    const intact = host.intact && recoveries.length === 0 && sessions.every((row) => row.report.intact);
    return { intact, host, head, sessions, recoveries };
  });
}

/** Verifies the chain of one session against the host chain. Only `audit` also verifies the projections. */
export function verifySession(database: Database, session: string): ChainReport {
  return database.snapshot(() => {
    const { knownHashes } = verifyHostChain(database);
    return withCachedState(database, session, verifyChain(database, session, knownHashes.get(session)).report);
  });
}

/** The cached state of an intact log must equal its fold: sessions are resumed from it. */
function withCachedState(database: Database, session: string, report: ChainReport): ChainReport {
  const seq = report.intact ? findAlteredState(database, session) : undefined;
  if (seq === undefined) return report;
  const message = `The cached state of record ${seq} was altered: it differs from the log.`;
  return { intact: false, records: report.records, seq, problem: 'altered', message };
}

/** Lists and totals are read from projections, which must match the log. */
function withDerived(derived: DerivedCheck, session: string, report: ChainReport): ChainReport {
  const table = report.intact ? derived.findAltered(session) : undefined;
  if (table === undefined) return report;
  const { records } = report;
  const message = `The table ${table} was altered: it differs from the log of the session.`;
  return { intact: false, records, seq: records, problem: 'altered', message };
}

/** A command that cannot be read stops the session: it can neither be applied nor left out. */
function withInbox(database: Database, session: string, report: ChainReport): ChainReport {
  const what = report.intact ? findDamagedCommand(database, session) : undefined;
  return what === undefined ? report : toDamagedInbox(report, what);
}

function checkNoted(database: Database, host: ChainReport, noted: { seq: number; hash: string }): ChainReport {
  if (noted.seq > host.records) return toDropped(host.records, `record ${noted.seq} existed when it was noted`);
  const next = database.get<{ prev: string }>(
    `SELECT coalesce((SELECT json_extract(record, '$.prev') FROM host_events WHERE seq = ?1 + 1),
      (SELECT hash FROM host_head WHERE seq = ?1)) AS prev`,
    noted.seq,
  );
  if (next?.prev === noted.hash) return host;
  const message = `Record ${noted.seq} or an earlier one was altered: its hash differs from the noted one.`;
  return { intact: false, records: 0, seq: 1, problem: 'altered', message };
}

function toPlanted(records: number, name: string): ChainReport {
  const message = `The database was altered: ${JSON.stringify(name)} is no trigger or view of Klaus.`;
  return { intact: false, records, seq: records, problem: 'altered', message };
}

function toDropped(records: number, why: string): ChainReport {
  const seq = records + 1;
  return { intact: false, records, seq, problem: 'dropped', message: `Record ${seq} is missing: ${why}.` };
}

/** Approvals for projects that outlived their sessions. */
function listOrphans(database: Database): StoredRemembered[] {
  return database.all<StoredRemembered>(
    'SELECT * FROM remembered WHERE session_id NOT IN (SELECT session_id FROM events)',
  );
}

/** Sessions that have a record or a head, and those that must have one. */
function listIds(database: Database, recorded: Iterable<string>): string[] {
  const sql = 'SELECT session_id AS id FROM heads WHERE seq > 0 UNION SELECT session_id FROM events';
  const ids = new Set(database.all<{ id: string }>(sql).map((row) => row.id));
  for (const id of [...listDerivedSessions(database), ...recorded]) ids.add(id);
  return [...ids].toSorted();
}
