import { renderHunk, type Hunk } from '@klaus/sdk';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { createPaint, paintDiff } from '../output/paint.ts';
import { err, out } from '../output/sink.ts';

/** An open question with what is needed to decide. */
export interface ListedApproval {
  id: string;
  title: string;
  session: string;
  workspace: string;
  /** Unix milliseconds. */
  expiresAt: number;
  reason: string;
  command: string | null;
  diff: string | null;
  hunks: readonly Hunk[];
}

/** Writes the open questions for a person. */
export function printApprovals(rows: readonly ListedApproval[]): void {
  if (rows.length === 0) err.write('No question is open.\n');
  const paint = createPaint(out, false);
  for (const row of rows) {
    const lines = [
      `${paint('bold', row.id)}  ${toLine(row.title, 200)}`,
      `  session ${row.session} in ${toPrintable(row.workspace)}, until ${new Date(row.expiresAt).toISOString()}`,
      `  ${toLine(row.reason, 400)}`,
    ];
    if (row.command !== null) lines.push(indent(`$ ${toPrintable(row.command)}`));
    for (const hunk of row.hunks) {
      lines.push(
        `  ${paint('bold', toLine(hunk.id, 200))}`,
        indent(paintDiff(toPrintable(renderHunk(hunk)).trimEnd(), paint)),
      );
    }
    if (row.hunks.length === 0 && row.diff !== null)
      lines.push(indent(paintDiff(toPrintable(row.diff).trimEnd(), paint)));
    out.write(`${lines.join('\n')}\n\n`);
  }
  if (rows.length > 0)
    err.write(
      'klaus approve ID or klaus reject ID answers one; --hunks and --scope say how much of it and for how long.\n',
    );
}

export function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
