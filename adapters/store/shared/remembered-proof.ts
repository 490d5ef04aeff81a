import { createHash } from 'node:crypto';
import type { AuditReport } from '@klaus/core/agent';
import type { HostEvent } from '@klaus/core/protocol';
import type { StoredRemembered } from './remembered-row.ts';

/** What the host chain knows of the approvals for projects that outlive their sessions. */
export interface RememberedProof {
  /** Approvals that were answered here. */
  answered: ReadonlySet<string>;
  /** By deleted session, what its deletion recorded. Null: by a version that recorded nothing. */
  deleted: ReadonlyMap<string, ReadonlyMap<string, string> | null>;
  /** Sessions that came from another store, whose host chain has their answers. */
  imported: ReadonlySet<string>;
}

/** The approvals of a session for the record of its deletion. */
export function toRememberedHashes(rows: readonly StoredRemembered[]): { approval: string; hash: string }[] {
  return rows.map((row) => ({ approval: row.approval, hash: toRowHash(row) }));
}

/** @param events Of the intact host chain, in order. */
export function readRememberedProof(events: readonly HostEvent[]): RememberedProof {
  const answered = new Set<string>();
  const deleted = new Map<string, ReadonlyMap<string, string> | null>();
  const imported = new Set<string>();
  for (const event of events) {
    if (event.type === 'approval.answered' || event.type === 'approval.changed') answered.add(event.approval);
    if (event.type === 'session.imported') imported.add(event.session);
    if (event.type !== 'session.deleted') continue;
    const { remembered } = event;
    deleted.set(event.session, remembered ? new Map(remembered.map((row) => [row.approval, row.hash])) : null);
  }
  return { answered, deleted, imported };
}

/**
 * Approvals for projects whose session has no log: each must be as the host chain recorded it when the session was
 * deleted. One of a session that an earlier version deleted must have been answered here.
 *
 * @param rows Of sessions without a record.
 */
export function findForged(rows: readonly StoredRemembered[], proof: RememberedProof): AuditReport['sessions'] {
  const forged = rows.filter((row) => {
    const known = proof.deleted.get(row.session_id);
    if (known === undefined) return true;
    // An approval that the deletion did not record was added after it.
    if (known !== null) return known.get(row.approval) !== toRowHash(row);
    return !proof.answered.has(row.approval) && !proof.imported.has(row.session_id);
  });
  return [...new Set(forged.map((row) => row.session_id))].map((session) => {
    const message = 'The table remembered was altered: the host chain does not have an approval of this session.';
    return { session, report: { intact: false, records: 0, seq: 0, problem: 'altered', message } };
  });
}

function toRowHash({ approval, session_id, workspace, agent, record, created_at }: StoredRemembered): string {
  const text = JSON.stringify([approval, session_id, workspace, agent, record, created_at]);
  return createHash('sha256').update(text).digest('hex');
}
