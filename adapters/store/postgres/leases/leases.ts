import type { Lease, Store } from '@klaus/core/agent';
import { FIRST_PREV } from '@klaus/core/protocol';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Sql } from '../database.ts';
import { toMovedError } from '../../transfer/session-move.ts';
import { retryLost } from '../log/retry.ts';
import type { Listener } from '../notify/listener.ts';
import { readMove } from '../transfer/moves.ts';
import { LEASE_MS, RENEW_MS } from './lease-time.ts';

/** Checks of a session whose holder looks alive: the server needs a moment to see that a killed process is gone. */
const CHECKS = 4;
const CHECK_DELAY_MS = 25;

/** Claims and renewals of one process. */
export interface Leases {
  /** @param options.ofMoved Also a session that does not run here. Default false. @throws KlausError `session.moved`. */
  claim(session: string, options?: ClaimOptions): Promise<Lease | undefined>;
  /** False after the release of the lease, or after `lose`. */
  holds(lease: Lease): boolean;
  /** Refuses further appends of a lease of which it is not known what was appended. It remains claimed until its release. */
  lose(lease: Lease): void;
  /** Renews all leases now. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

type ClaimOptions = NonNullable<Parameters<Store['claim']>[1]> & { ofMoved?: boolean };

export function createLeases(parts: {
  database: Database;
  listener: () => Listener;
  /** Waits for pending appends and their notifications. @throws KlausError `store.busy`. */
  flush: () => Promise<void>;
  /** Notifies all processes, also this one, of the events of a session up to `seq`. */
  announceMissed: (session: string, seq: number) => void;
  /** Milliseconds in which a claim is tried again over new connections. */
  retryMs: number;
}): Leases {
  const { database, listener, flush, announceMissed, retryMs } = parts;
  const held = new Set<Lease>();
  const lost = new WeakSet<Lease>();
  /** Claimed in the database. A release that failed is repeated with the renewals. */
  const claimed = new Set<Lease>();

  const free = async (sql: Sql, lease: Lease): Promise<void> => {
    await sql.run(RELEASE, [lease.session, listener().holder, lease.fence]);
    claimed.delete(lease);
  };
  const release = async (lease: Lease): Promise<void> => {
    if (!held.delete(lease)) return;
    // Events that are not announced remain claimed.
    await flush()
      .then(() => free(database, lease))
      .catch(() => {});
  };
  const renew = async (): Promise<void> => {
    if (claimed.size === 0) return;
    const sessions = [...held].map(({ session }) => session);
    await listener().use((sql) => sql.run(RENEW, [listener().holder, sessions, LEASE_MS]));
    const released = [...claimed].filter((lease) => !held.has(lease));
    if (released.length === 0) return;
    await flush();
    await listener().use(async (sql) => {
      for (const lease of released) await free(sql, lease);
    });
  };
  const claiming = new Map<string, Promise<void>>();
  const claimSession = async (
    session: string,
    { attempt, ofMoved = false }: ClaimOptions,
  ): Promise<Lease | undefined> => {
    const { holder } = listener();
    for (let check = 1; ; check++) {
      const found = await retryLost(() => {
        const isOwn = [...claimed].some((lease) => lease.session === session);
        return database.transaction((sql) => claim(sql, { session, attempt, holder, isOwn, ofMoved }));
      }, retryMs);
      if (found.fence !== undefined) {
        const lease: Lease = { session, fence: found.fence, release: () => release(lease) };
        held.add(lease);
        claimed.add(lease);
        if (found.isUnreleased) announceMissed(session, found.seq!);
        return lease;
      }
      if (!found.isHeldElsewhere || check === CHECKS) return undefined;
      await delay(CHECK_DELAY_MS);
    }
  };
  // An error is a lost connection: the next renewal uses a new one.
  const timer = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref();

  return {
    claim(session, options = {}) {
      // One after the other, so that a lease of this process in the database is one in `claimed` as well.
      const next = (claiming.get(session) ?? Promise.resolve()).then(() => claimSession(session, options));
      const settled = next.then(ignore, ignore).then(() => {
        if (claiming.get(session) === settled) claiming.delete(session);
      });
      claiming.set(session, settled);
      return next;
    },
    holds: (lease) => held.has(lease) && !lost.has(lease),
    lose: (lease) => void lost.add(lease),
    renew,
    async close() {
      clearInterval(timer);
      await Promise.all([...held].map(release));
    },
  };
}

interface ClaimRequest {
  session: string;
  attempt: number | undefined;
  /** Number of this process. */
  holder: number;
  /** True when this process has a lease of the session. */
  isOwn: boolean;
  /** True: also a session that does not run here. */
  ofMoved: boolean;
}

interface Holder {
  holder: number | null;
  attempt: number | null;
  isLive: boolean;
}

interface Claimed {
  /** Undefined: the session was not claimed. */
  fence?: number;
  /** Of its last event. */
  seq?: number;
  /** True: its last holder did not release it, and may not have announced its last events. */
  isUnreleased?: boolean;
  isHeldElsewhere?: boolean;
}

/**
 * Decides under the lock of the session's head: appends of the holder wait for it. The attempt of a scheduler only grows:
 * an older one is refused in any case, and the same one while its holder lives.
 */
async function claim(sql: Sql, { session, attempt, holder, isOwn, ofMoved }: ClaimRequest): Promise<Claimed> {
  const [, , found, move] = await Promise.all([
    sql.run('INSERT INTO heads (session_id, seq, hash, fence) VALUES ($1, 0, $2, 0) ON CONFLICT DO NOTHING', [
      session,
      FIRST_PREV,
    ]),
    sql.all('SELECT 1 FROM heads WHERE session_id = $1 FOR UPDATE', [session]),
    sql.get<Holder>(FIND, [session]),
    readMove(sql, session),
  ]);
  if (move && !ofMoved) throw toMovedError(session, move);
  const known = found?.attempt ?? undefined;
  if (attempt !== undefined && known !== undefined && attempt < known) return {};
  const isNewer = attempt !== undefined && known !== undefined && attempt > known;
  // A row of this process without a lease is of a claim whose answer was lost.
  const isHeld = found?.isLive === true && (found.holder !== holder || isOwn);
  if (isHeld && !isNewer) return { isHeldElsewhere: found.holder !== holder };
  const [row] = await Promise.all([
    sql.get<{ fence: number; seq: number }>(
      'UPDATE heads SET fence = fence + 1 WHERE session_id = $1 RETURNING fence, seq',
      [session],
    ),
    sql.run(TAKE, [session, holder, attempt ?? null, LEASE_MS]),
  ]);
  return { ...row!, isUnreleased: found?.holder != null };
}

const FIND = `SELECT holder, attempt,
    EXISTS (SELECT 1 FROM live_leases AS live WHERE live.session_id = leases.session_id) AS "isLive"
  FROM leases WHERE session_id = $1 FOR UPDATE`;

const TAKE = `INSERT INTO leases (session_id, holder, fence, attempt, expires_at)
  SELECT session_id, $2, fence, $3, clock_timestamp() + $4 * interval '1 millisecond' FROM heads WHERE session_id = $1
  ON CONFLICT (session_id) DO UPDATE SET holder = excluded.holder, fence = excluded.fence,
    attempt = coalesce(excluded.attempt, leases.attempt), expires_at = excluded.expires_at`;

/** Only what this process still holds: a claim of another one changed the holder. */
const RENEW = `UPDATE leases SET expires_at = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE holder = $1 AND session_id = ANY($2::text[])`;

const RELEASE = 'UPDATE leases SET holder = NULL WHERE session_id = $1 AND holder = $2 AND fence = $3';

function ignore(): void {}
