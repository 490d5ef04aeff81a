import type { Remembered } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { indent } from './approval-text.ts';
import { err, out } from '../output/sink.ts';

/** What is shown of an approval that holds for longer than its session. */
export interface ShownRemembered {
  approval: string;
  workspace: string;
  remembered: Pick<Remembered, 'agent' | 'tool'> & { command?: string | undefined; paths?: string[] | undefined };
  /** ISO 8601. */
  createdAt: string;
}

/** Prints them; with `isJson` one object a line. */
export function printRemembered(rows: readonly ShownRemembered[], isJson: boolean): void {
  for (const row of rows) {
    if (isJson) out.json(row);
    else {
      const { agent, tool, command, paths } = row.remembered;
      const what = command ?? paths?.join(', ') ?? tool;
      out.write(
        `${row.approval}  ${tool} in ${toPrintable(row.workspace)} for ${toLine(agent, 80)}, ${row.createdAt}\n${indent(toPrintable(what))}\n`,
      );
    }
  }
  if (rows.length === 0) err.write('No approval holds for longer than its session.\n');
}

/** Said when one was taken back. */
export const FORGOTTEN = 'Forgotten: it is asked again.\n';
