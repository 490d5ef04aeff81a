import type { Klaus, LatestWith, Session } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';

/**
 * The session with this id, or the latest session of this folder, or its latest child session with what is needed, if something is. The
 * chosen one is printed.
 */
export async function findFittingSession(klaus: Klaus, id: string | undefined, needed?: LatestWith): Promise<Session> {
  if (id !== undefined) return await klaus.session(id);
  const latest = await klaus.latest();
  if (!latest) {
    throw new UsageError(
      'No session has worked in this folder.',
      'Pass one with `--session ID`; `klaus sessions` lists them.',
    );
  }
  const session = (needed && (await klaus.latest({ with: needed, of: latest.id }))) ?? latest;
  const title = (await klaus.store.session(session.id))?.title;
  err.write(`Session ${session.id}${title ? `, ${toPrintable(title)}` : ''}\n`);
  return session;
}

/**
 * The latest session of this folder that has what the chosen one lacks. It is only named: nothing is done with it.
 *
 * @param command That chooses the session, given its id.
 */
export async function findOther(
  klaus: Klaus,
  { not, with: needed, command }: { not: Session; with: LatestWith; command: (id: string) => string },
): Promise<{ id: string; text: string } | undefined> {
  const other = await klaus.latest({ with: needed });
  if (!other || other.id === not.id) return undefined;
  const row = await klaus.store.session(other.id);
  const facts = row ? [row.title ?? row.firstPrompt, row.updatedAt.slice(0, 16).replace('T', ' ')] : [];
  return {
    id: other.id,
    text: `An older one has (${toLine(facts.filter(Boolean).join(', '), 100)}): \`${command(other.id)}\``,
  };
}
