import type { Conversation } from '@klaus/core/conversation';
import type { ProcessView } from '@klaus/server/contract';
import { useEffect } from 'react';
import { client } from '../state/client.ts';
import { useStore } from '../state/store.ts';
import { visibility } from '../state/visibility.ts';
import { useQuery, type Query } from '../ui/use-query.ts';

/** Milliseconds between requests while a process runs: its end is no event while the session rests. */
const EVERY_MS = 2_000;

/** The number of events about processes of a session. */
export function countProcessEvents({ entries }: Pick<Conversation, 'entries'>): number {
  return entries.filter((entry) => entry.kind === 'fact' && entry.event.type === 'process.changed').length;
}

export const isActive = ({ state }: ProcessView): boolean => state === 'unstarted' || state === 'running';

/** The background processes of a session, the running ones first. @param version Changes when they may have changed. */
export function useProcesses(session: string, version: number): Query<ProcessView[]> {
  const loaded = useQuery(`processes ${session} ${version}`, async (signal) => {
    const { processes } = await client.processes({ params: { id: session } }, { signal });
    return processes.toSorted((a, b) => Number(isActive(b)) - Number(isActive(a)) || b.startedAt - a.startedAt);
  });
  const isVisible = useStore(visibility) === 'visible';
  const isPolled = isVisible && loaded.value?.some(isActive) === true;
  const { refetch } = loaded;
  useEffect(() => {
    if (!isPolled) return undefined;
    const timer = setInterval(refetch, EVERY_MS);
    return () => clearInterval(timer);
  }, [isPolled, refetch]);
  return loaded;
}
