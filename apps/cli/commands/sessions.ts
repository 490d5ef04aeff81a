import type { Klaus, SessionRow } from '@klaus/sdk';
import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { formatUsd } from '@klaus/sdk/transcript';
import { outputWidth, toTable } from '../output/table.ts';

/** `klaus sessions [search]`: the newest first; with --json one object a line. */
export async function sessions(search: string | undefined, options: { json?: true; limit: number }): Promise<number> {
  await using klaus = await openKlaus();
  const rows = klaus.sessions({ limit: options.limit, ...(search !== undefined && { search }) });
  if (options.json === true) {
    for (const row of rows) {
      const line = { ...row, status: toStatus(klaus, row), processes: listRunning(klaus, row.id) };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
    return EXIT.done;
  }
  if (rows.length === 0) {
    process.stderr.write(
      search === undefined
        ? 'There are no sessions yet: klaus "prompt" begins one.\n'
        : `No session has "${search}".\n`,
    );
    return EXIT.done;
  }
  const table = rows.map((row) => [
    row.id,
    row.updatedAt.slice(0, 16).replace('T', ' '),
    [toStatus(klaus, row), ...listRunning(klaus, row.id)].join(' +'),
    formatUsd(row.costUsd),
    `${row.forkedFrom === null ? '' : '⑂ '}${row.title ?? row.firstPrompt ?? ''}`,
    row.workspace,
  ]);
  process.stdout.write(toTable([['ID', 'LAST', 'STATUS', 'COST', 'TITLE', 'WORKSPACE'], ...table], outputWidth()));
  return EXIT.done;
}

/** Names of the background processes that run at this moment. */
function listRunning(klaus: Klaus, session: string): string[] {
  return klaus.processes(session).flatMap(({ id, state }) => (state === 'running' ? [id] : []));
}

/** The log knows `running`; whether a process is behind it only the lock knows. */
function toStatus(klaus: Klaus, row: SessionRow): string {
  if (row.status === 'running') return klaus.store.isClaimed(row.id) ? 'running' : 'interrupted';
  return row.status === 'idle' ? (row.outcome ?? 'new') : row.status;
}
