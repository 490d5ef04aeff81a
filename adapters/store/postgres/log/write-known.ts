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
 */
export function toKnownWrite(known: readonly Known[], heads: Heads): Statement {
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
    events.map(({ session }) => session),
    events.map(({ seq }) => seq),
    events.map(({ type }) => type),
    known.flatMap(({ written }) => written.records),
  ];
  return ['CALL klaus_add_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', values];
}

/**
 * The same for one event.
 *
 * @param touchedAt ISO 8601; set: it also updates the time of the session.
 */
export function toSingleWrite({ append, written }: Known, heads: Heads, touchedAt: string | undefined): Statement {
  const { session, fence } = append.lease;
  const { seq, hash } = heads.get(append.lease)!;
  const values = [session, fence, seq, hash, written.head.hash, written.events[0]!.type, written.records[0], touchedAt];
  return ['CALL klaus_add_event($1, $2, $3, $4, $5, $6, $7, $8)', values];
}
