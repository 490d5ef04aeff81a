import { toLine, toPrintable } from '@klaus/sdk/printable';
import { describeChain } from '@klaus/sdk/transcript';
import { openClient } from '../../client/open-client.ts';
import type { ClientGivenApproval, ListedApproval, RememberedApproval } from '@klaus/sdk/client';
import { describeInput } from '../../prompt/describe-input.ts';
import { createPaint, paintDiff } from '../../output/paint.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'approvals',
  summary: 'list open approvals of all sessions',
  examples: ['klaus approvals', 'klaus approvals --given'],
  server: 'both',
  declare: (declared) =>
    declared
      .option('--json', 'one object per line')
      .option('--remembered', 'list approvals that outlive their session')
      .option('--forget <id>', 'forget one of those')
      .option('--given <session>', 'list given approvals of a session; klaus approve --scope changes one'),
  async run({ json, remembered, forget, given, ...options }: Options & Listing) {
    await using client = await openClient(options);
    if (forget !== undefined) {
      await client.forget(forget);
      out.write('Forgotten: the approval is required again.\n');
    } else if (given !== undefined) printGiven(await client.givenApprovals(given), json === true);
    else if (remembered) printRemembered(await client.remembered(), json === true);
    else {
      const rows = await client.approvals();
      if (json) for (const { hunks: _, ...row } of rows) out.json(row);
      else await printApprovals(rows);
    }
  },
};

interface Listing {
  remembered?: true;
  forget?: string;
  given?: string;
}

async function printApprovals(rows: readonly ListedApproval[]): Promise<void> {
  if (rows.length === 0) return err.write('No approval is open.\n');
  const { renderHunk } = await import('@klaus/sdk');
  const paint = createPaint(out, false);
  const toDiff = (text: string) => indent(paintDiff(toPrintable(text).trimEnd(), paint));
  for (const row of rows) {
    const lines = [
      `${paint('bold', row.id)}  ${toLine(row.title, 200)}`,
      ...(row.chain ? [`  ${describeChain(row.chain)}`] : []),
      `  session ${row.session} in ${toPrintable(row.workspace)}, until ${new Date(row.expiresAt).toISOString()}`,
      `  ${toLine(row.reason, 400)}`,
    ];
    if (row.command !== null) lines.push(indent(`$ ${toPrintable(row.command)}`));
    if (row.plan) lines.push(indent(toPrintable(row.plan).trimEnd()));
    if (row.input) lines.push(...describeInput(row.input).map(indent));
    const hunks = await row.hunks();
    for (const hunk of hunks) lines.push(`  ${paint('bold', toLine(hunk.id, 200))}`, toDiff(renderHunk(hunk)));
    if (hunks.length === 0 && row.diff !== null) lines.push(toDiff(row.diff));
    out.write(`${lines.join('\n')}\n\n`);
  }
  err.write(
    'Answer with `klaus approve ID` or `klaus reject ID`; `--hunks` and `--scope` limit what is approved and how long, `--field` answers a question.\n',
  );
}

function printRemembered(rows: readonly RememberedApproval[], isJson: boolean): void {
  if (rows.length === 0) err.write('No approval outlives its session.\n');
  for (const row of rows) {
    const { agent, tool } = row.remembered;
    const where = `${tool} in ${toPrintable(row.workspace)} for ${toLine(agent, 80)}, ${row.createdAt}`;
    if (isJson) out.json(row);
    else out.write(`${row.approval}  ${where}\n${indent(toPrintable(toCovered(row)))}\n`);
  }
}

function printGiven(rows: readonly ClientGivenApproval[], isJson: boolean): void {
  if (rows.length === 0) err.write('No approval of this session can be remembered or revoked.\n');
  for (const row of rows) {
    if (isJson) out.json(row);
    else out.write(`${row.approval}  ${row.scope}, ${row.remembered.tool}\n${indent(toPrintable(toCovered(row)))}\n`);
  }
}

function toCovered({ remembered: { command, paths, tool } }: Pick<RememberedApproval, 'remembered'>): string {
  return command ?? paths?.join(', ') ?? tool;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
