import { renderHunk, type Klaus } from '@klaus/sdk';
import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { createPaint, paintDiff } from '../output/paint.ts';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { UsageError } from '../report-error.ts';

/** `klaus approvals`: open questions of all sessions with what is needed to decide; with --json one object a line. */
export async function approvals(options: { json?: true; remembered?: true; forget?: string }): Promise<number> {
  await using klaus = await openKlaus();
  if (options.forget !== undefined) return forget(klaus, options.forget);
  if (options.remembered) return listRemembered(klaus, options.json === true);
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
    const { subject } = klaus.question(row.id);
    const hunks = subject.kind === 'limit' ? [] : (subject.hunks ?? []);
    for (const hunk of hunks) {
      lines.push(
        `  ${paint('bold', toLine(hunk.id, 200))}`,
        indent(paintDiff(toPrintable(renderHunk(hunk)).trimEnd(), paint)),
      );
    }
    if (hunks.length === 0 && row.diff !== null) lines.push(indent(paintDiff(toPrintable(row.diff).trimEnd(), paint)));
    process.stdout.write(`${lines.join('\n')}\n\n`);
  }
  if (rows.length > 0)
    process.stderr.write(
      'klaus approve ID or klaus reject ID answers one; --hunks and --scope say how much of it and for how long.\n',
    );
  return EXIT.done;
}

function listRemembered(klaus: Klaus, isJson: boolean): number {
  const rows = klaus.store.remembered();
  for (const row of rows) {
    if (isJson) process.stdout.write(`${JSON.stringify(row)}\n`);
    else {
      const { agent, tool, command, paths } = row.remembered;
      const what = command ?? paths?.join(', ') ?? tool;
      process.stdout.write(
        `${row.approval}  ${tool} in ${toPrintable(row.workspace)} for ${toLine(agent, 80)}, ${row.createdAt}\n${indent(toPrintable(what))}\n`,
      );
    }
  }
  if (rows.length === 0) process.stderr.write('No approval holds for longer than its session.\n');
  return EXIT.done;
}

function forget(klaus: Klaus, id: string): number {
  if (!klaus.forget(id, { by: 'cli' })) {
    throw new UsageError(`There is no remembered approval ${id}.`, 'klaus approvals --remembered lists them.');
  }
  process.stdout.write('Forgotten: it is asked again.\n');
  return EXIT.done;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
