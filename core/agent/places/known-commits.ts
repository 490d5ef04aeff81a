import type { Event, EventOf } from '../../protocol/index.ts';
import type { GitPosition } from '../ports/snapshots.ts';

/** Object ids by repository. */
export type KnownCommits = NonNullable<EventOf<'workspace.snapshotted'>['known']>;

/** The repositories after the last turn. Undefined before the first turn; `unknown` if a background process may have moved refs. */
export type LastPositions = readonly GitPosition[] | undefined | 'unknown';

/** Refs of Klaus's own: commits of what an agent left in the workspace. */
const OWN_REFS = 'refs/klaus/';
const OBJECT_ID = /^[0-9a-f]{40,64}$/;
/** Ids that an event names at most: HEAD, then branches, then the rest. */
const MAX_IDS = 200;

/**
 * Object ids in repositories that no command of the session made: those of all refs at the first snapshot of the
 * session, and later those that appeared between two turns, when only the user moves refs.
 */
export function findKnownCommits(now: readonly GitPosition[], last: LastPositions): KnownCommits {
  if (last === 'unknown') return [];
  let left = MAX_IDS;
  return now.flatMap((position) => {
    const earlier = new Set(toPairs(last?.find(({ path }) => path === position.path)));
    const fresh = toPairs(position).filter((pair) => !earlier.has(pair));
    const ids = [...new Set(fresh.map((pair) => pair.slice(pair.lastIndexOf(' ') + 1)))].slice(0, left);
    left -= ids.length;
    return ids.length > 0 ? [{ path: position.path, ids }] : [];
  });
}

/** Ids of all looks of a session at one repository. */
export function readKnownIds(events: Iterable<Event>, repository: string): string[] {
  const ids = new Set<string>();
  for (const event of events) {
    if (event.type !== 'workspace.snapshotted') continue;
    for (const known of event.known ?? []) if (known.path === repository) for (const id of known.ids) ids.add(id);
  }
  return [...ids];
}

/** Names with their object ids, the most useful first. */
function toPairs(position: GitPosition | undefined): string[] {
  if (!position) return [];
  const head = toHeadId(position);
  const refs = Object.entries(position.refs).filter(([ref, id]) => !ref.startsWith(OWN_REFS) && OBJECT_ID.test(id));
  const rank = ([ref]: readonly [string, string]): number => (ref.startsWith('refs/heads/') ? 0 : 1);
  const sorted = refs.toSorted((a, b) => rank(a) - rank(b));
  return [...(head === undefined ? [] : [`HEAD ${head}`]), ...sorted.map((pair) => pair.join(' '))];
}

/** The commit of HEAD; undefined where there is none, or where it is not among the refs that are kept. */
export function toHeadId({ head, refs }: GitPosition): string | undefined {
  const id = OBJECT_ID.test(head) ? head : refs[head.replace(/^ref: */, '')];
  return id !== undefined && OBJECT_ID.test(id) ? id : undefined;
}
