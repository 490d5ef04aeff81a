import type { ChainReport } from '@klaus/core/agent';
import { toHostLink, toSessionLink, verifyHostLinks, verifySessionLinks, type Link } from '../../shared/chain-links.ts';
import type { KnownHashes } from '../../shared/session-records.ts';
import { NO_HEAD } from '../../sqlite/log/record.ts';
import type { Sql } from '../database.ts';
import { readPages } from '../pages.ts';
import { readHostHead } from './host-chain.ts';
import { readHead } from './log.ts';

/** Verifies a session's chain, see `verifySessionLinks`. @param known Hashes of this session in the host chain. */
export async function verifyChain(
  sql: Sql,
  session: string,
  known?: KnownHashes,
): Promise<{ report: ChainReport; unrecorded?: number }> {
  const head = await readHead(sql, session);
  return verifySessionLinks({ links: await readLinks(sql, session), head, known });
}

/** Verifies the host chain, see `verifyHostLinks`. */
export async function verifyHostChain(sql: Sql) {
  const head = (await readHostHead(sql)) ?? NO_HEAD;
  return verifyHostLinks(await readHostLinks(sql), head);
}

/** Of the fields only the type is kept: a long log need not fit into memory. */
async function readLinks(sql: Sql, session: string): Promise<Link[]> {
  const text = 'SELECT seq, type, record FROM events WHERE session_id = $3 AND seq > $1 ORDER BY seq LIMIT $2';
  const links: Link[] = [];
  type Row = { seq: number; type: string; record: string };
  for await (const row of readPages<Row>(sql, text, { key: 'seq', after: -1, values: [session] })) {
    const { fields, ...link } = toSessionLink(session, row);
    links.push({ ...link, fields: fields && { type: fields['type'] } });
  }
  return links;
}

async function readHostLinks(sql: Sql): Promise<Link[]> {
  const text = 'SELECT seq, at, type, subject, record FROM host_events WHERE seq > $1 ORDER BY seq LIMIT $2';
  const links: Link[] = [];
  type Row = { seq: number; at: number; type: string; subject: string; record: string };
  for await (const row of readPages<Row>(sql, text, { key: 'seq', after: -1 })) links.push(toHostLink(row));
  return links;
}
