import {
  chainOf,
  foldLineage,
  mergeFacts,
  NO_LINEAGE,
  toEffectiveGrant,
  toLineageFacts,
  type Lineage,
  type LineageFact,
} from '../../policy/index.ts';
import { toNarrowerMode, type EventOf, type Grant, type Mode } from '../../protocol/index.ts';
import { openedOf, type State } from '../state/state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

/** A session in the chain from the one that the user opened. */
export interface ChainLink {
  session: string;
  /** Absent: Klaus itself. */
  agent?: string;
}

/** The present authority of a session. */
export interface AuthorityReader {
  /** Reads what the logs above a child session say. Before the first time a child session has no authority. */
  learn(): Promise<void>;
  grant(): Grant;
  /** The narrowest mode of the session and of those above it. */
  mode(): Mode;
  /** From the session that the user opened to this one. */
  chain(): ChainLink[];
  /** Ids from the session whose authority the user gave to this one: the first one, or a worker. */
  lineage(): string[];
  /** A text that changes with every revocation that concerns the session, and when an authority expires. An approval is bound to it. */
  version(): string;
}

interface KnownLog {
  seq: number;
  facts: LineageFact[];
  opened?: EventOf<'session.opened'>;
  /** The present one. */
  mode?: Mode;
}

const NOTHING: Grant = { authorities: [] };

/** Sessions above one. A longer chain gives no authority. */
const MAX_CHAIN = 64;

/**
 * The gate asks it for every call. A session that the user opened has the grant of its log. A child has what its own
 * log and the logs above it leave of it: a revocation above applies at its next call.
 */
export function createAuthorityReader(
  engine: { store: Pick<Store, 'read'>; clock: Pick<Clock, 'now'> },
  state: State,
): AuthorityReader {
  const known = new Map<string, KnownLog>();
  /** The sessions from the first one to the parent, and all whose logs count: those, and the originals of a fork. */
  let above: { chain: readonly string[]; logs: readonly string[] } | undefined;
  const read = async (session: string): Promise<KnownLog> => {
    const log = known.get(session) ?? { seq: 0, facts: [] };
    known.set(session, log);
    for await (const events of engine.store.read(session, log.seq)) {
      for (const event of events) {
        log.seq = event.seq;
        if (event.type === 'session.opened') log.opened = event;
        if ('mode' in event && event.mode !== undefined) log.mode = event.mode;
        if (log.opened) log.facts.push(...toLineageFacts(event, log.opened));
      }
    }
    return log;
  };
  const isAlone = (): boolean => openedOf(state).parent === undefined && state.children.size === 0;
  let folded: { count: number; lineage: Lineage } | undefined;
  const foldAll = (): Lineage => {
    const logs = [...(above?.logs ?? []).map((id) => known.get(id)!.facts), state.lineage];
    // Facts are only added.
    const count = logs.reduce((sum, facts) => sum + facts.length, 0);
    if (folded?.count !== count) folded = { count, lineage: mergeFacts(logs).reduce(foldLineage, NO_LINEAGE) };
    return folded.lineage;
  };
  return {
    async learn() {
      const { parent, forked } = openedOf(state);
      above = undefined;
      if (!parent) return;
      const ids: string[] = [];
      for (let next: string | undefined = parent.session; next !== undefined;) {
        if (ids.length > MAX_CHAIN || ids.includes(next)) return;
        ids.unshift(next);
        next = (await read(next)).opened?.parent?.session;
      }
      const sources: string[] = [];
      for (let next = forked?.session; next !== undefined;) {
        if (sources.length > MAX_CHAIN || sources.includes(next)) return;
        sources.unshift(next);
        next = (await read(next)).opened?.forked?.session;
      }
      above = { chain: ids, logs: [...ids, ...sources] };
    },
    grant() {
      if (!state.session || isAlone()) return state.grant;
      if (state.session.parent && !above) return NOTHING;
      return toEffectiveGrant(foldAll(), state.session.session, engine.clock.now());
    },
    mode() {
      return (above?.chain ?? []).reduce<Mode>(
        (narrowest, id) => toNarrowerMode(narrowest, known.get(id)?.mode ?? narrowest),
        state.mode,
      );
    },
    version() {
      const grant = JSON.stringify(state.grant);
      const losses = (above?.logs ?? []).flatMap((id) => known.get(id)!.facts.filter(({ kind }) => kind === 'revoked'));
      const ended = toEnds(state.grant).filter((end) => end <= engine.clock.now());
      if (ended.length > 0) return JSON.stringify([grant, losses, ended]);
      return losses.length === 0 ? grant : JSON.stringify([grant, losses]);
    },
    lineage: () => chainOf(foldAll(), openedOf(state).session),
    chain() {
      const { session, agent } = openedOf(state);
      const ids = above?.chain ?? [];
      return [...ids.map((id) => ({ session: id, agent: known.get(id)?.opened?.agent })), { session, agent }];
    },
  };
}

/** When parts of a grant expire, in milliseconds since 1970. */
function toEnds({ authorities, delegable = [], expiresAt }: Grant): number[] {
  const ends = [expiresAt, ...[...authorities, ...delegable].map((one) => one.expiresAt)];
  return [...new Set(ends.filter((end) => end !== undefined))].toSorted((a, b) => a - b);
}
