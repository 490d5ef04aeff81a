import type { Klaus } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { printApprovals, type ListedApproval } from '../../listing/approval-text.ts';
import { FORGOTTEN, printRemembered } from '../../listing/remembered-text.ts';
import { UsageError } from '../../program/report-error.ts';
import { toGivenServer, type ServerOptions } from '../../program/server-option.ts';
import { out } from '../../output/sink.ts';

/** `klaus approvals`: open questions of all sessions with what is needed to decide; with --json one object a line. */
export async function approvals(
  options: ServerOptions & { json?: true; remembered?: true; forget?: string },
): Promise<number> {
  if (toGivenServer(options) !== undefined) {
    const remote = await import('../../remote/listing.ts');
    if (options.forget !== undefined) return remote.forgetAt(options.forget, options);
    return options.remembered ? remote.rememberedAt(options) : remote.approvalsAt(options);
  }
  await using klaus = await openKlaus();
  if (options.forget !== undefined) return await forget(klaus, options.forget);
  if (options.remembered) {
    printRemembered(await klaus.store.remembered(), options.json === true);
    return EXIT.done;
  }
  const rows = await klaus.approvals();
  if (options.json === true) {
    for (const row of rows) out.json(row);
    return EXIT.done;
  }
  const listed: ListedApproval[] = [];
  for (const row of rows) {
    const { subject } = await klaus.question(row.id);
    listed.push({ ...row, hunks: subject.kind === 'limit' ? [] : (subject.hunks ?? []) });
  }
  printApprovals(listed);
  return EXIT.done;
}

async function forget(klaus: Klaus, id: string): Promise<number> {
  if (!(await klaus.forget(id, { by: 'cli' }))) {
    throw new UsageError(`There is no remembered approval ${id}.`, 'klaus approvals --remembered lists them.');
  }
  out.write(FORGOTTEN);
  return EXIT.done;
}
