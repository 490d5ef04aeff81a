import { join } from 'node:path';
import { listEndingCopies } from '@klaus/adapters/workspace';
import type { SessionStore } from '@klaus/core/agent';
import type { FileChange } from '@klaus/core/protocol';

export interface EditsQuery {
  store: Pick<SessionStore, 'sessions' | 'eventsOf' | 'lastOf'>;
  /** The state folder. */
  home: string;
}

/** See `Engine.editsSince`. */
export async function readEditsSince(
  { store, home }: EditsQuery,
  workspace: string,
  since: number,
): Promise<FileChange[]> {
  const rows = await store.sessions({ limit: Number.MAX_SAFE_INTEGER });
  const copies = `${join(home, 'copies')}/`;
  const edits = await Promise.all(
    rows.map(async (row): Promise<FileChange[]> => {
      const isOld = row.status === 'idle' && Date.parse(row.updatedAt) < since;
      if (row.workspace === workspace) return isOld ? [] : readEdits(store, row.id, since);
      if (!row.workspace.startsWith(copies)) return [];
      return (await hasEndedSince(store, { session: row.id, workspace, since })) ? readEdits(store, row.id, 0) : [];
    }),
  );
  const ending = listEndingCopies(home).filter(({ repository }) => repository === workspace);
  const further = await Promise.all(ending.map(({ session }) => readEdits(store, session, 0)));
  return [...edits, ...further].flat();
}

/** True for a session whose working copy of a folder has ended since a time, by a merge for example. */
async function hasEndedSince(
  store: EditsQuery['store'],
  { session, workspace, since }: { session: string; workspace: string; since: number },
): Promise<boolean> {
  const ended = await store.lastOf(session, ['workingCopy.ended']);
  if (!ended || ended.at < since) return false;
  const [opened] = await store.eventsOf(session, ['session.opened']);
  return opened?.workingCopy?.repository === workspace;
}

async function readEdits(store: EditsQuery['store'], session: string, since: number): Promise<FileChange[]> {
  const events = await store.eventsOf(session, ['tool.started', 'tool.finished']);
  const ended = new Set(events.flatMap(({ type, call, at }) => (type === 'tool.finished' && at < since ? [call] : [])));
  return events.flatMap((event) => {
    const isObserved = event.type === 'tool.started' && event.observed === true;
    // What was found after a call that was killed was not judged.
    const isFound = event.type === 'tool.finished' && event.outcome !== 'ok' && event.outcome !== 'error';
    return ended.has(event.call) || isObserved || isFound ? [] : (event.changes ?? []);
  });
}
