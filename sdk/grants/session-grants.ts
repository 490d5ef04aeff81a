import {
  applyQueuedCommands,
  loadState,
  readLog,
  toolsOf,
  toRevocableGrant,
  type Engine,
  type SessionStore,
} from '@klaus/core/agent';
import { allowsAccess, isCovered, parseAuthorities, revoke, toGrantText, WIDEST } from '@klaus/core/policy';
import { KlausError, type Authority, type Grant } from '@klaus/core/protocol';

/** The grant of a session from one record of its log. */
export interface GrantRecord {
  /** The record in the session's chain. */
  seq: number;
  /** SHA-256 of the record. */
  hash: string;
  /** Unix milliseconds. */
  at: number;
  grant: Grant;
  /** The grant in one line. */
  text: string;
  /** Who changed it; absent for the opening. */
  by?: string;
  reason?: string;
}

export interface RevokeOptions {
  /** Who revokes it, for the log. Default `sdk`. */
  by?: string;
  reason?: string;
}

/** The result of a revocation. */
export interface Revoked {
  /** False when a live process holds the session: the revocation is durable and applies before its next call. */
  applied: boolean;
  /** The remaining grant. */
  grant: Grant;
  /** The same in one line. */
  text: string;
}

export async function grantHistory(store: SessionStore, session: string): Promise<GrantRecord[]> {
  const events = await readLog(store, session);
  const head = (await store.head(session))?.hash ?? '';
  return events.flatMap((event, index): GrantRecord[] => {
    if (event.type !== 'session.opened' && event.type !== 'grant.changed') return [];
    const { seq, at, grant } = event;
    const change = event.type === 'grant.changed' ? { reason: event.reason, by: event.by } : {};
    // Each record names the hash of the one before it.
    return [{ seq, at, grant, text: toGrantText(grant), ...change, hash: events[index + 1]?.prev ?? head }];
  });
}

/** See `Session.reaches`. */
export async function reachesHost(
  engine: Engine,
  session: string,
  to: { host: string; port: number },
): Promise<boolean> {
  const grant = toRevocableGrant(await loadState(engine, session));
  return allowsAccess(grant, { kind: 'net', ...to }, engine.clock.now());
}

/** See `Session.revoke`. */
export async function revokeGrant(
  engine: Engine,
  session: string,
  { parts, by = 'sdk', reason }: RevokeOptions & { parts: readonly string[] },
): Promise<Revoked> {
  const state = await loadState(engine, session);
  const opened = state.session;
  if (!opened) throw new KlausError('usage', `The session ${session} has no opening.`);
  const at = { workspace: opened.workspace, now: engine.clock.now(), widest: WIDEST };
  const held = toRevocableGrant(state);
  const authorities = parts.length === 0 ? undefined : parts.flatMap((part) => parsePart(part, held, at));
  const grant = revoke(held, authorities, { tools: toolsOf(state) });
  if (isCovered(held, grant)) throw new KlausError('usage', 'The grant holds nothing any more.');
  await engine.store.send(session, {
    type: 'revoke',
    id: engine.ids.ulid(),
    by,
    authorities,
    reason,
  });
  const applied = await applyQueuedCommands(engine, session, ['revoke']);
  return { applied, grant, text: toGrantText(grant) };
}

function parsePart(text: string, grant: Grant, at: Parameters<typeof parseAuthorities>[1]): Authority[] {
  const part = parseAuthorities(text, at);
  const isHeld = part.some((one) => !isCovered(grant, revoke(grant, [one], { partial: 'all' })));
  if (isHeld) return part;
  throw new KlausError('usage', `The grant does not hold ${text}.`, { hint: `It holds ${toGrantText(grant)}.` });
}
