import type { Klaus, LatestWith, Session } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';

/**
 * The session with this id, or the latest session of this folder that has what is needed, which is printed. A later
 * session without it, such as one that only answered a question, is skipped.
 */
export async function findFittingSession(klaus: Klaus, id: string | undefined, needed: LatestWith): Promise<Session> {
  if (id !== undefined) return await klaus.session(id);
  const session = (await klaus.latest({ with: needed })) ?? (await klaus.latest());
  if (!session) {
    throw new UsageError(
      'No session has worked in this folder.',
      'Pass one with `--session ID`; `klaus sessions` lists them.',
    );
  }
  const title = (await klaus.store.session(session.id))?.title;
  err.write(`Session ${session.id}${title ? `, ${toPrintable(title)}` : ''}\n`);
  return session;
}
