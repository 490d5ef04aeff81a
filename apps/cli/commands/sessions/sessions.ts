import { realpathSync } from 'node:fs';
import type { Klaus, SessionRow } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { isInterrupted } from '../../session/interrupted.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { UsageError } from '../../program/report-error.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';
import { printSessions } from '../../listing/session-table.ts';
import { out } from '../../output/sink.ts';

/** `klaus sessions [search]`: the newest first; with --json one object a line. */
export async function sessions(
  search: string | undefined,
  options: ServerOptions & { json?: true; limit: number; here?: true },
): Promise<number> {
  if (toGivenServer(options) !== undefined && options.here)
    throw new UsageError('--here is about folders of this machine.', 'Leave it out, or search for the folder.');
  if (toGivenServer(options) !== undefined)
    return (await import('../../remote/listing.ts')).sessionsAt(search, options);
  await using klaus = await openKlaus();
  const found = await klaus.sessions({
    limit: options.limit,
    ...(options.here && { workspace: realpathSync(klaus.configuration.get('workspace')) }),
    ...(search !== undefined && { search }),
  });
  const toListed = async (row: SessionRow) => ({
    ...row,
    status: await toStatus(klaus, row),
    processes: listRunning(klaus, row.id),
  });
  const rows = await Promise.all(found.map(toListed));
  if (options.json === true) for (const row of rows) out.json(row);
  else printSessions(rows, search);
  return EXIT.done;
}

/** Names of the background processes that run at this moment. */
function listRunning(klaus: Klaus, session: string): string[] {
  return klaus.processes(session).flatMap(({ id, state }) => (state === 'running' ? [id] : []));
}

/** The log knows `running`; whether a process is behind it only the lock knows. */
async function toStatus(klaus: Klaus, row: SessionRow): Promise<string> {
  if (row.status === 'running') return (await isInterrupted(klaus, row)) ? 'interrupted' : 'running';
  return row.status === 'idle' ? (row.outcome ?? 'new') : row.status;
}
