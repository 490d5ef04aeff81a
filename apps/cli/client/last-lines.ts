import type { ListedSession } from '@klaus/sdk/client';
import type { SessionStates } from '@klaus/sdk/session-states';

/** Sessions of a list whose last lines are read. */
const MAX_READ = 200;

/** The last lines that the models wrote in sessions with the name of another one of the list, by their ids. */
export function readLastLines(
  rows: readonly Pick<ListedSession, 'id' | 'title' | 'firstPrompt'>[],
  states: Pick<SessionStates, 'get'> | undefined,
): ReadonlyMap<string, string> {
  const byName = Map.groupBy(rows, ({ title, firstPrompt }) => (title ?? firstPrompt ?? '').trim());
  const same = [...byName.values()].filter(({ length }) => length > 1).flat();
  const found = same.length === 0 ? [] : (states?.get(same.slice(0, MAX_READ).map(({ id }) => id)) ?? []);
  return new Map(found.flatMap(({ id, lastLine }) => (lastLine === null ? [] : [[id, lastLine] as const])));
}
