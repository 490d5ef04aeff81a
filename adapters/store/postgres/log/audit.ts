import type { AuditOptions, AuditReport, ChainReport } from '@klaus/core/agent';
import { createState, fold, FOLD_VERSION } from '@klaus/core/agent';
import { isSameState } from '../../shared/checkpoint.ts';
import type { Database, Sql } from '../database.ts';
import { createDerivedCheck, listDerivedSessions, type DerivedCheck } from '../projections/derived.ts';
import { findForged } from '../../shared/remembered-proof.ts';
import type { StoredRemembered } from '../../shared/remembered-row.ts';
import { toReportedRecoveries } from '../../shared/recoveries.ts';
import { toDamagedInbox } from '../../shared/stored-command.ts';
import { verifyChain, verifyHostChain } from './chain.ts';
import { findDamagedCommand } from './inbox.ts';
import { readEvents } from './log.ts';
import { readState } from './state-cache.ts';

/** Verifies the host chain and those of the sessions, in one state of the database. */
export function audit(database: Database, options: AuditOptions = {}): Promise<AuditReport> {
  return database.snapshot(async (sql) => {
    using derived = createDerivedCheck(sql);
    const { report, knownHashes, head, recoveries: recorded, remembered } = await verifyHostChain(sql);
    let host = report;
    if (options.head && host.intact) host = await checkNoted(sql, host, options.head);
    const sessions: AuditReport['sessions'] = [];
    const ids = options.session === undefined ? await listIds(sql, knownHashes.keys()) : [options.session];
    for (const session of ids) {
      const found = await verifyChain(sql, session, knownHashes.get(session));
      const checked = await withCachedState(sql, session, found.report);
      const report = await withInbox(sql, session, await withDerived(derived, session, checked));
      sessions.push({ session, report });
      if (found.unrecorded !== undefined && host.intact)
        host = toDropped(host.records, `it does not contain record ${found.unrecorded} of session ${session}`);
    }
    if (options.session === undefined) sessions.push(...findForged(await listOrphans(sql), remembered));
    const recoveries = toReportedRecoveries(recorded, options);
    const intact = host.intact && recoveries.length === 0 && sessions.every((row) => row.report.intact);
    return { intact, host, head, sessions, recoveries };
  });
}

/** Verifies the chain of one session against the host chain. Only `audit` also verifies the projections. */
export function verifySession(database: Database, session: string): Promise<ChainReport> {
  return database.snapshot(async (sql) => {
    const { knownHashes } = await verifyHostChain(sql);
    return withCachedState(sql, session, (await verifyChain(sql, session, knownHashes.get(session))).report);
  });
}

/** A command that cannot be read stops the session: it can neither be applied nor left out. */
async function withInbox(sql: Sql, session: string, report: ChainReport): Promise<ChainReport> {
  const what = report.intact ? await findDamagedCommand(sql, session) : undefined;
  return what === undefined ? report : toDamagedInbox(report, what);
}

/** The cached state of an intact log must equal its fold: sessions are resumed from it. */
async function withCachedState(sql: Sql, session: string, report: ChainReport): Promise<ChainReport> {
  const cached = report.intact ? await readState(sql, session, FOLD_VERSION) : undefined;
  if (!cached) return report;
  const state = createState();
  for await (const event of readEvents(sql, session, 0)) {
    if (event.seq > cached.seq) break;
    fold(state, event);
  }
  if (isSameState(state, cached)) return report;
  const { seq } = cached;
  const message = `The cached state of record ${seq} was altered: it differs from the log.`;
  return { intact: false, records: report.records, seq, problem: 'altered', message };
}

/** Approvals for projects that outlived their sessions. */
function listOrphans(sql: Sql): Promise<StoredRemembered[]> {
  const text = 'SELECT * FROM remembered WHERE session_id NOT IN (SELECT session_id FROM events WHERE seq = 1)';
  return sql.all<StoredRemembered>(text, []);
}

/** Lists and totals are read from projections, which must match the log. */
async function withDerived(derived: DerivedCheck, session: string, report: ChainReport): Promise<ChainReport> {
  const table = report.intact ? await derived.findAltered(session) : undefined;
  if (table === undefined) return report;
  const { records } = report;
  const message = `The table ${table} was altered: it differs from the log of the session.`;
  return { intact: false, records, seq: records, problem: 'altered', message };
}

async function checkNoted(sql: Sql, host: ChainReport, noted: { seq: number; hash: string }): Promise<ChainReport> {
  if (noted.seq > host.records) return toDropped(host.records, `record ${noted.seq} existed when it was noted`);
  const next = await sql.get<{ prev: string | null }>(
    `SELECT coalesce((SELECT record::json ->> 'prev' FROM host_events WHERE seq = $1 + 1),
      (SELECT hash FROM host_head WHERE seq = $1)) AS prev`,
    [noted.seq],
  );
  if (next?.prev === noted.hash) return host;
  const message = `Record ${noted.seq} or an earlier one was altered: its hash differs from the noted one.`;
  return { intact: false, records: 0, seq: 1, problem: 'altered', message };
}

function toDropped(records: number, why: string): ChainReport {
  const seq = records + 1;
  return { intact: false, records, seq, problem: 'dropped', message: `Record ${seq} is missing: ${why}.` };
}

/** Sessions that have a record or a head, and those that must have one. */
async function listIds(sql: Sql, recorded: Iterable<string>): Promise<string[]> {
  const rows = await sql.all<{ id: string }>(
    'SELECT session_id AS id FROM heads WHERE seq > 0 UNION SELECT DISTINCT session_id FROM events',
  );
  const ids = new Set(rows.map(({ id }) => id));
  for (const id of [...(await listDerivedSessions(sql)), ...recorded]) ids.add(id);
  return [...ids].toSorted();
}
