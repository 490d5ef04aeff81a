import type { Klaus } from '@klaus/sdk';
import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { indent, printApprovals } from '../listing/approval-text.ts';
import { toLine, toPrintable } from '@klaus/sdk/printable';
import { UsageError } from '../report-error.ts';
import { refuseServer, toGivenServer, type ServerOptions } from '../server-option.ts';

/** `klaus approvals`: open questions of all sessions with what is needed to decide; with --json one object a line. */
export async function approvals(
  options: ServerOptions & { json?: true; remembered?: true; forget?: string },
): Promise<number> {
  if (toGivenServer(options) !== undefined) {
    if (options.remembered) refuseServer(options, 'klaus approvals --remembered');
    if (options.forget !== undefined) refuseServer(options, 'klaus approvals --forget');
    return (await import('../remote/listing.ts')).approvalsAt(options);
  }
  await using klaus = await openKlaus();
  if (options.forget !== undefined) return forget(klaus, options.forget);
  if (options.remembered) return listRemembered(klaus, options.json === true);
  const rows = klaus.approvals();
  if (options.json === true) {
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
    return EXIT.done;
  }
  printApprovals(
    rows.map((row) => {
      const { subject } = klaus.question(row.id);
      return { ...row, hunks: subject.kind === 'limit' ? [] : (subject.hunks ?? []) };
    }),
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
