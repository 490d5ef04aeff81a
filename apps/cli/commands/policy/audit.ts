import type { AuditReport, ChainReport, DecisionRow, HostEvent, Klaus } from '@klaus/sdk';
import { describeCall, formatNumber } from '@klaus/sdk/transcript';
import { InvalidArgumentError } from 'commander';
import { openKlaus } from '../../client/open-klaus.ts';
import { printRows } from '../../output/table.ts';
import { out } from '../../output/sink.ts';
import { type CommandGroup, IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { toPastTime } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';

export const verify: LeafCommand = {
  name: 'verify',
  summary: 'check the hash chains of one session or of all, and of this machine',
  examples: ['klaus audit verify', 'klaus audit verify 01J'],
  description:
    'Names the first record that was altered, removed or moved, and what a recovery of the database left out. Exit code 1 if there is any.',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions'))
      .option(
        '--head <seq:hash>',
        'an earlier head of the host chain: proves that no record up to it was rewritten',
        toHead,
      )
      .option('--json', 'one JSON document'),
  async run(id: string | undefined, { json, head }: Options & { head?: ReturnType<typeof toHead> }) {
    await using klaus = await openKlaus();
    const session = id === undefined ? undefined : await toSessionId(klaus, id);
    const report = await klaus.store.audit({ session, head });
    if (json) out.json(report, 2);
    else out.write(`${toLines(report).join('\n')}\n`);
    return report.intact ? EXIT.done : EXIT.failed;
  },
};

/** A record of the host chain as an earlier verification printed it. */
function toHead(text: string): { seq: number; hash: string } {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (seq !== undefined && hash !== undefined && Number(seq) >= 1) return { seq: Number(seq), hash };
  throw new InvalidArgumentError(
    'It must be a number, a colon and 64 hexadecimal digits, as klaus audit verify prints it.',
  );
}

function toLines({ host, head, sessions, recoveries }: AuditReport): string[] {
  const damaged = sessions.flatMap(({ session, report }) => (report.intact ? [] : [`${session}: ${report.message}`]));
  const records = sessions.reduce((sum, { report }) => sum + report.records, 0);
  const sum = `${formatNumber(sessions.length, 'session')}, ${formatNumber(records, 'intact record')}`;
  return [
    ...damaged,
    damaged.length > 0
      ? `${sum}, ${formatNumber(damaged.length, 'damaged session')}`
      : `${sum}, ${recoveries.length > 0 ? 'as recovered' : 'all as written'}`,
    toHostLine(host, head),
    ...recoveries.flatMap(toRecoveryLines),
  ];
}

/** What a recovery left out. It cannot be verified any more, only compared with the damaged files. */
function toRecoveryLines({ seq, at, sessions, host, unread = [] }: AuditReport['recoveries'][number]): string[] {
  const toCount = ({ saved, last }: { saved: number; last?: number }): string =>
    last === undefined ? 'an unknown number of records' : formatNumber(last - saved, 'record');
  const lost = sessions.filter(({ lostFrom }) => lostFrom !== undefined);
  return [
    `The database was recovered at ${toTime(at)} (record ${seq} of the host chain). Only the damaged files of that time have:`,
    ...lost.map((row) => `  ${row.session}: ${toCount(row)}, from number ${row.lostFrom} on${toAnchor(row.anchor)}`),
    ...(host.lostFrom === undefined ? [] : [`  host chain: ${toCount(host)}, from number ${host.lostFrom} on`]),
    ...(unread.length === 0 ? [] : [`  rows of ${unread.join(', ')}`]),
    'After you have examined it, `klaus audit verify --head` with the head above reports only what happens later.',
  ];
}

function toAnchor(anchor: { records: number; head: string } | undefined): string {
  return anchor ? `; the host chain had its record ${anchor.records}, ${anchor.head.slice(0, 12)}` : '';
}

function toHostLine(host: ChainReport, head: AuditReport['head']): string {
  if (!host.intact) return `Host chain: ${host.message}`;
  if (head.seq === 0) return 'Host chain: empty';
  return `Host chain: ${formatNumber(head.seq, 'record')}, all as written; its head is ${head.seq}:${head.hash}`;
}

/** The id of a session that exists, or of a deleted one that the host chain names. */
async function toSessionId(klaus: Klaus, id: string): Promise<string> {
  const known = (await klaus.store.session(id))?.id;
  if (known !== undefined) return known;
  for await (const _ of klaus.store.hostEvents({ subject: id })) return id;
  return (await klaus.session(id)).id;
}

const show: LeafCommand = {
  name: 'show',
  summary: 'list the decisions of the gate',
  examples: ['klaus audit show --denied --since 7d', 'klaus audit show --host'],
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions'))
      .option('--denied', 'only calls that were denied or asked about; with --host, approvals that were not given')
      .option('--host', 'the host chain instead: deletions, exports, answers, changes of the configuration')
      .option('--since <time>', 'only since this time: 2h, 7d, or a date', toPastTime)
      .option('--json', 'one object per line'),
  async run(id: string | undefined, options: Options & { denied?: true; host?: true; since?: number }) {
    const { json, denied, host, since } = options;
    await using klaus = await openKlaus();
    const session = id === undefined ? undefined : await toSessionId(klaus, id);
    const empty = 'There is nothing to show.';
    if (host) {
      const events = await Array.fromAsync(klaus.store.hostEvents({ since, subject: session }));
      const head = ['TIME', 'EVENT', 'SESSION', 'DETAIL'];
      printRows(denied ? events.filter(isNotApproved) : events, { json, head, toRow: toHostRow, empty });
    } else {
      const rows = await Array.fromAsync(klaus.store.decisions({ since, session, denied: denied ?? false }));
      const head = ['TIME', 'SESSION', 'VERDICT', 'RULE', 'WHAT', 'REASON'];
      printRows(rows.map(toDecision), { json, head, toRow: toDecisionRow, empty });
    }
  },
};

function isNotApproved(event: HostEvent): boolean {
  return event.type === 'approval.answered' && event.answer !== 'approved';
}

/** One line of --json. */
function toDecision({ event, input }: DecisionRow) {
  const { at, session, seq, turn, call, name, verdict, rule, reason, phase } = event;
  const what = describeCall(name, input, 200);
  return { at, session, seq, turn, call, tool: name, what, verdict, rule, reason, phase };
}

function toDecisionRow({ at, session, verdict, rule, what, reason, phase }: ReturnType<typeof toDecision>): string[] {
  return [toTime(at), session, verdict, rule, phase === undefined ? what : `${what} (its changes)`, reason];
}

function toHostRow(event: HostEvent): string[] {
  return [toTime(event.at), event.type, 'session' in event ? event.session : '', describeHostEvent(event)];
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}

export const command: CommandGroup = {
  name: 'audit',
  summary: 'check and show the records',
  examples: ['klaus audit verify', 'klaus audit show --denied --since 7d'],
  commands: [verify, show],
};

function describeHostEvent(event: HostEvent): string {
  switch (event.type) {
    case 'session.anchored':
      return `${formatNumber(event.records, 'record')} after ${event.after}, head ${event.head.slice(0, 12)}`;
    case 'session.deleted':
      return `${formatNumber(event.records, 'record')} by ${event.by}, last ${event.head.slice(0, 12)}`;
    case 'session.exported':
      return `${event.format} by ${event.by}`;
    case 'session.moved':
      return `${formatNumber(event.records, 'record')} to ${event.place} by ${event.by}`;
    case 'session.imported':
      return `${formatNumber(event.records, 'record')} from ${event.place} by ${event.by}`;
    case 'approval.answered':
      return `${event.approval} ${event.answer} by ${event.by}${event.scope === undefined ? '' : ` for the ${event.scope}`}`;
    case 'approval.changed':
      return `${event.approval} ${event.scope === 'once' ? 'revoked' : `remembered for the ${event.scope}`} by ${event.by}`;
    case 'approval.forgotten':
      return `${event.approval} of ${event.agent} in ${event.workspace} by ${event.by}`;
    case 'grant.changed':
      return event.reason;
    case 'session.changed': {
      const { mode, model, limits } = event;
      const caps = Object.entries(limits ?? {}).map(([name, cap]) => `${name} ${cap === 0 ? 'unlimited' : cap}`);
      return [...(mode ? [`mode ${mode}`] : []), ...(model ? [`model ${model}`] : []), ...caps].join(', ');
    }
    case 'workspace.restored':
      return `${event.kind} of ${formatNumber(event.files, 'file')} by ${event.by}`;
    case 'configuration.changed': {
      const changes = event.changes.map(
        ({ key, before, after }) => `${key}: ${before ?? 'unset'} → ${after ?? 'unset'}`,
      );
      const policies = event.policies.map(({ path, hash }) => `${path} ${hash.slice(0, 12)}`);
      return [event.workspace, ...changes, ...policies].join('; ');
    }
    case 'agent.used':
      return `${event.agent} by ${event.by}`;
    case 'mode.chosen':
      return `${event.mode}${event.person === '' ? '' : ` for ${event.person}`} by ${event.by}`;
    case 'guard.decided':
      return `${event.verdict} ${event.tool ?? event.event}: ${event.text} (${event.rule}: ${event.reason})`;
    case 'guard.observed':
      return `${event.what}: ${event.text}`;
    case 'guard.changed':
      return `${event.state}: ${event.of} (${event.reason})`;
    case 'database.recovered': {
      const lost = event.sessions.filter(({ lostFrom }) => lostFrom !== undefined).length;
      return `${formatNumber(event.sessions.length, 'session')} saved, ${lost} of them incomplete`;
    }
  }
}
