import type { ChainReport } from '@klaus/core/agent';
import { toHostLink, toSessionLink, verifyHostLinks, verifySessionLinks, type Link } from '../../shared/chain-links.ts';
import type { KnownHashes } from '../../shared/session-records.ts';
import type { Database } from '../database.ts';
import { readHostHead } from './host-chain.ts';
import { readHead } from './log.ts';

/** Verifies a session's chain, see `verifySessionLinks`. @param known Hashes of this session in the host chain. */
export function verifyChain(
  database: Database,
  session: string,
  known?: KnownHashes,
): { report: ChainReport; unrecorded?: number } {
  return verifySessionLinks({ links: readLinks(database, session), head: readHead(database, session), known });
}

/** Verifies the host chain, see `verifyHostLinks`. */
export function verifyHostChain(database: Database) {
  return verifyHostLinks(readHostLinks(database), readHostHead(database));
}

function* readLinks(database: Database, session: string): Generator<Link, void, undefined> {
  const sql = 'SELECT seq, type, record FROM events WHERE session_id = ?3 AND seq > ?1 ORDER BY seq LIMIT ?2';
  type Row = { seq: number; type: string; record: string };
  for (const row of database.pages<Row>(sql, { key: 'seq', after: -1 }, session)) yield toSessionLink(session, row);
}

function* readHostLinks(database: Database): Generator<Link, void, undefined> {
  const sql = 'SELECT seq, at, type, subject, record FROM host_events WHERE seq > ?1 ORDER BY seq LIMIT ?2';
  type Row = { seq: number; at: number; type: string; subject: string; record: string };
  for (const row of database.pages<Row>(sql, { key: 'seq', after: -1 })) yield toHostLink(row);
}
