import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { createPaint, paintDiff } from '../output/paint.ts';
import { toLine, toPrintable } from '../output/printable.ts';

/** `klaus approvals`: open questions of all sessions with what is needed to decide; with --json one object a line. */
export async function approvals(options: { json?: true }): Promise<number> {
  await using klaus = await openKlaus();
  const rows = klaus.approvals();
  if (options.json === true) {
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
    return EXIT.done;
  }
  if (rows.length === 0) process.stderr.write('No question is open.\n');
  const paint = createPaint(process.stdout, false);
  for (const row of rows) {
    const lines = [
      `${paint('bold', row.id)}  ${toLine(row.title, 200)}`,
      `  session ${row.session} in ${toPrintable(row.workspace)}, until ${new Date(row.expiresAt).toISOString()}`,
      `  ${toLine(row.reason, 400)}`,
    ];
    if (row.command !== null) lines.push(indent(`$ ${toPrintable(row.command)}`));
    if (row.diff !== null) lines.push(indent(paintDiff(toPrintable(row.diff).trimEnd(), paint)));
    process.stdout.write(`${lines.join('\n')}\n\n`);
  }
  if (rows.length > 0) process.stderr.write('klaus approve ID or klaus reject ID answers one.\n');
  return EXIT.done;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
