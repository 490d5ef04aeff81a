import type { Lease } from '@klaus/core/agent';
import { chainDrafts, type Head } from '../../shared/chain-drafts.ts';
import type { Statement } from '../database.ts';
import type { Append, Written } from './append.ts';

/** An append with its records. */
export type Known = { append: Append; written: Written };
type Heads = Pick<WeakMap<Lease, Head>, 'get'>;

/** Chains the drafts to the ends that are known. Undefined when a statement has to read something first. */
export function chainKnown(group: readonly Append[], heads: Heads): Known[] | undefined {
  const ends = new Map<Lease, Head>();
  const sessions = new Map<string, Lease>();
  const known: Known[] = [];
  for (const append of group) {
    const { lease, drafts, consume } = append;
    const head = ends.get(lease) ?? heads.get(lease);
    // Two leases of one session are those of a former and of the present holder.
    const isOther = (sessions.get(lease.session) ?? lease) !== lease;
    if (!head || isOther || append.written || consume.length > 0 || drafts.length === 0) return undefined;
    const written = chainDrafts(head, lease.session, drafts);
    ends.set(lease, written.head);
    sessions.set(lease.session, lease);
    known.push({ append, written });
  }
  return known;
}

/**
 * The statement that writes records. It fails without an effect when a session does not end as known or was claimed
 * again.
 *
 * @param parts `times`: of the last event of each session that concerns the session itself, in ISO 8601, in the order of
 *   their first records; null without one.
 */
export function toKnownWrite(
  known: readonly Known[],
  { heads, times }: { heads: Heads; times: readonly (string | null)[] },
): Statement {
  const ends = new Map(known.map(({ append, written }) => [append.lease, written.head]));
  const leases = [...ends.keys()];
  const from = leases.map((lease) => heads.get(lease)!);
  const to = [...ends.values()];
  const events = known.flatMap(({ written }) => written.events);
  const values = [
    leases.map(({ session }) => session),
    leases.map(({ fence }) => fence),
    from.map(({ seq }) => seq),
    from.map(({ hash }) => hash),
    to.map(({ seq }) => seq),
    to.map(({ hash }) => hash),
    times,
    events.map(({ session }) => session),
    events.map(({ seq }) => seq),
    events.map(({ type }) => type),
    known.flatMap(({ written }) => written.records),
  ];
  return ['CALL klaus_add_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)', values];
}

/** The same for one event. */
export function toSingleWrite({ append, written }: Known, heads: Heads, time: string | null): Statement {
  const { session, fence } = append.lease;
  const { seq, hash } = heads.get(append.lease)!;
  return [WRITE_ONE, [session, fence, seq, hash, written.head.hash, written.events[0]!.type, written.records[0], time]];
}

/**
 * A procedure with the same two statements takes a tenth longer. A head that is not as expected has no next seq, which
 * the column refuses.
 */
const WRITE_ONE = `WITH moved AS (
    UPDATE heads SET seq = seq + 1, hash = $5, updated_at = coalesce($8, updated_at)
    WHERE session_id = $1 AND fence = $2 AND seq = $3 AND hash = $4 RETURNING seq
  )
  INSERT INTO events (session_id, seq, type, record) VALUES ($1, (SELECT seq FROM moved), $6, $7)`;
