import type { SessionView } from '@klaus/server/contract';

type Sessions = ReadonlyMap<string, SessionView>;

/** The sessions that a user opened. Child sessions are shown below their parent; without it, as sessions of their own. */
export function isOwn({ parent, forkedFrom }: SessionView, sessions: Sessions): boolean {
  return parent === null || forkedFrom !== null || !sessions.has(parent);
}

/** A child session, and how many levels it is below the session that the user opened. */
export interface SessionBelow {
  session: SessionView;
  depth: number;
}

/** The sessions below each session that a user opened, each behind its parent, the oldest first. */
export function groupBelow(sessions: Sessions): ReadonlyMap<string, readonly SessionBelow[]> {
  const children = Map.groupBy(
    [...sessions.values()].filter((session) => !isOwn(session, sessions)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    ({ parent }) => parent!,
  );
  const toBelow = (id: string, depth: number): SessionBelow[] =>
    (children.get(id) ?? []).flatMap((session) => [{ session, depth }, ...toBelow(session.id, depth + 1)]);
  const owners = [...children.keys()].filter((id) => isOwn(sessions.get(id)!, sessions));
  return new Map(owners.map((id) => [id, toBelow(id, 1)]));
}

/** The sessions above one that are known, the one that the user opened first. */
export function toAbove(session: string | undefined, find: (id: string) => SessionView | undefined): SessionView[] {
  const found: SessionView[] = [];
  for (let next = session === undefined ? undefined : find(session); next && !found.includes(next);) {
    found.unshift(next);
    next = next.parent === null || next.forkedFrom !== null ? undefined : find(next.parent);
  }
  return found;
}
