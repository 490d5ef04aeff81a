import { optional } from '@klaus/sdk/optional';
import type { AuditReport, ChainReport, DecisionRow, HostEvent, Klaus } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { describeCall, formatNumber } from '@klaus/sdk/transcript';
import { outputWidth, toTable } from '../../output/table.ts';
import { err, out } from '../../output/sink.ts';

export interface VerifyOptions {
  json?: true;
  /** A record of the host chain as an earlier verify printed it. */
  head?: { seq: number; hash: string };
}

/** `klaus audit verify [ID]`: exit 1 when a record of a session or of the host chain is not as it was written. */
export async function verify(id: string | undefined, options: VerifyOptions = {}): Promise<number> {
  await using klaus = await openKlaus();
  const report = await klaus.store.audit({
    ...(id === undefined ? {} : { session: await toSessionId(klaus, id) }),
    ...(options.head ? { head: options.head } : {}),
  });
  if (options.json === true) out.json(report, 2);
  else
    out.write(
      toLines(report)
        .map((line) => `${line}\n`)
        .join(''),
    );
  return report.intact ? EXIT.done : EXIT.failed;
}

function toLines({ host, head, sessions }: AuditReport): string[] {
  const damaged = sessions.flatMap(({ session, report }) => (report.intact ? [] : [`${session}: ${report.message}`]));
  const records = sessions.reduce((sum, { report }) => sum + report.records, 0);
  const sum = `${formatNumber(sessions.length, 'session')}, ${formatNumber(records, 'intact record')}`;
  return [
    ...damaged,
    damaged.length === 0 ? `${sum}, all as written` : `${sum}, ${formatNumber(damaged.length, 'damaged session')}`,
    toHostLine(host, head),
  ];
}

function toHostLine(host: ChainReport, head: AuditReport['head']): string {
  if (!host.intact) return `Host chain: ${host.message}`;
  if (head.seq === 0) return 'Host chain: empty';
  return `Host chain: ${formatNumber(head.seq, 'record')}, all as written; its head is ${head.seq}:${head.hash}`;
}

/** A session that is there, or one that the host chain knows of: it may have been taken away. */
async function toSessionId(klaus: Klaus, id: string): Promise<string> {
  const known = (await klaus.store.session(id))?.id;
  if (known !== undefined) return known;
  for await (const _ of klaus.store.hostEvents({ subject: id })) return id;
  return (await klaus.session(id)).id;
}

export interface ShowAuditOptions {
  json?: true;
  denied?: true;
  host?: true;
  /** Unix milliseconds. */
  since?: number;
}

/** `klaus audit show [ID]`: what the gate decided, or with --host what the host chain holds. */
export async function showAudit(id: string | undefined, options: ShowAuditOptions): Promise<number> {
  await using klaus = await openKlaus();
  const session = id === undefined ? undefined : await toSessionId(klaus, id);
  const since = options.since === undefined ? {} : { since: options.since };
  if (options.host === true) {
    const events = await Array.fromAsync(klaus.store.hostEvents({ ...since, ...optional({ subject: session }) }));
    const shown = options.denied === true ? filter(events, isNoYes) : events;
    return print(shown, { ...options, toRow: toHostRow, head: ['TIME', 'EVENT', 'SESSION', 'DETAIL'] });
  }
  const rows = await Array.fromAsync(
    klaus.store.decisions({
      ...since,
      ...optional({ session }),
      denied: options.denied ?? false,
    }),
  );
  const head = ['TIME', 'SESSION', 'VERDICT', 'RULE', 'WHAT', 'REASON'];
  return print(map(rows, toDecision), { ...options, toRow: toDecisionRow, head });
}

interface PrintOptions<T> {
  json?: true;
  toRow: (item: T) => string[];
  head: string[];
}

function print<T>(items: Iterable<T>, { json, toRow, head }: PrintOptions<T>): number {
  if (json === true) {
    for (const item of items) out.json(item);
    return EXIT.done;
  }
  const rows = [...items].map(toRow);
  if (rows.length === 0) err.write('There is nothing to show.\n');
  else out.write(toTable([head, ...rows], outputWidth()));
  return EXIT.done;
}

function* map<A, B>(items: Iterable<A>, to: (item: A) => B): Generator<B, void, undefined> {
  for (const item of items) yield to(item);
}

function* filter<T>(items: Iterable<T>, fits: (item: T) => boolean): Generator<T, void, undefined> {
  for (const item of items) if (fits(item)) yield item;
}

/** True for a question that nobody said yes to. */
function isNoYes(event: HostEvent): boolean {
  return event.type === 'approval.answered' && event.answer !== 'approved';
}

type Decision = ReturnType<typeof toDecision>;

/** One line of --json. */
function toDecision({ event, input }: DecisionRow) {
  const { at, session, seq, turn, call, name, verdict, rule, reason, phase } = event;
  const what = describeCall(name, input, 200);
  return { at, session, seq, turn, call, tool: name, what, verdict, rule, reason, ...(phase ? { phase } : {}) };
}

function toDecisionRow({ at, session, verdict, rule, what, reason, phase }: Decision): string[] {
  return [toTime(at), session, verdict, rule, phase === undefined ? what : `${what} (its changes)`, reason];
}

function toHostRow(event: HostEvent): string[] {
  return [toTime(event.at), event.type, 'session' in event ? event.session : '', describe(event)];
}

function describe(event: HostEvent): string {
  switch (event.type) {
    case 'session.anchored':
      return `${formatNumber(event.records, 'record')} after ${event.after}, head ${event.head.slice(0, 12)}`;
    case 'session.deleted':
      return `${formatNumber(event.records, 'record')} by ${event.by}, last ${event.head.slice(0, 12)}`;
    case 'session.exported':
      return `${event.format} by ${event.by}`;
    case 'approval.answered':
      return `${event.approval} ${event.answer} by ${event.by}${event.scope === undefined ? '' : ` for the ${event.scope}`}`;
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
    case 'database.recovered': {
      const lost = event.sessions.filter(({ lostFrom }) => lostFrom !== undefined).length;
      return `${formatNumber(event.sessions.length, 'session')} saved, ${lost} of them cut short`;
    }
  }
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
