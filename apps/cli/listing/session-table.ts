import { formatUsd } from '@klaus/sdk/transcript';
import { outputWidth, toTable } from '../output/table.ts';
import { err, out } from '../output/sink.ts';

/** A session as a line of the list says it. */
export interface ListedSession {
  id: string;
  /** ISO 8601. */
  updatedAt: string;
  status: string;
  costUsd: number | null;
  forkedFrom: string | null;
  title: string | null;
  firstPrompt: string | null;
  workspace: string;
  /** Names of the background processes that run at this moment, where they are known. */
  processes?: readonly string[];
}

/** Writes the sessions as a table, or says that there is none. */
export function printSessions(rows: readonly ListedSession[], search: string | undefined): void {
  if (rows.length === 0) {
    err.write(
      search === undefined
        ? 'There are no sessions yet: klaus "prompt" begins one.\n'
        : `No session has "${search}".\n`,
    );
    return;
  }
  const table = rows.map((row) => [
    row.id,
    row.updatedAt.slice(0, 16).replace('T', ' '),
    [row.status, ...(row.processes ?? [])].join(' +'),
    formatUsd(row.costUsd),
    `${row.forkedFrom === null ? '' : '⑂ '}${row.title ?? row.firstPrompt ?? ''}`,
    row.workspace,
  ]);
  out.write(toTable([['ID', 'LAST', 'STATUS', 'COST', 'TITLE', 'WORKSPACE'], ...table], outputWidth()));
}
