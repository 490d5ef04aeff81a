import type { DecisionQuery, GuardDecision, GuardLog, GuardRates } from '@klaus/sdk/guard-log';
import { toLine } from '@klaus/sdk/printable';
import { openKlaus, toFolder } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';

interface LogOptions extends Options {
  lines: number;
  denied?: true;
  all?: true;
  rates?: true;
}

export const log: LeafCommand = {
  name: 'log',
  summary: 'list the decisions of the guard, the newest last',
  examples: ['klaus guard log', 'klaus guard log --json'],
  server: 'none',
  declare: (declared) =>
    declared
      .option('-n, --lines <number>', 'how many', integer(1, 100_000), 50)
      .option('--denied', 'only what was denied or asked')
      .option('--all', 'of all projects (default: of this one)')
      .option('--rates', 'counts by reviewer and by day instead: denials, overturned appeals, cost')
      .option('--json', 'one object per line')
      .option('--cwd <folder>', 'the project'),
  async run({ lines, denied, all, rates, json, cwd }: LogOptions) {
    const [{ realpathSync }, { GuardLog }] = await Promise.all([import('node:fs'), import('@klaus/sdk/guard-log')]);
    const workspace = all ? undefined : realpathSync(toFolder(cwd ?? '.'));
    await using klaus = await openKlaus();
    const decided = new GuardLog(klaus.store);
    if (rates) {
      const found = await decided.rates({ workspace });
      if (json) out.json(found);
      else out.write(toRates(found));
      return;
    }
    const found = await readNewest(decided, {
      limit: lines,
      workspace,
      verdicts: denied ? ['ask', 'deny'] : undefined,
    });
    if (json) for (const event of found) out.json(event);
    else if (found.length === 0) err.write('The guard has decided nothing here yet. klaus guard doctor checks it.\n');
    else out.write(toTable([['ID', 'TIME', 'VERDICT', 'TOOL', 'RULE', 'CALL'], ...found.map(toRow)]));
  },
};

/** The newest decisions, the oldest of them first. */
async function readNewest(decided: GuardLog, query: DecisionQuery): Promise<GuardDecision[]> {
  const found: GuardDecision[] = [];
  let before: number | null = Infinity;
  while (before !== null && found.length < query.limit) {
    const { decisions, next }: Awaited<ReturnType<GuardLog['decisions']>> = await decided.decisions({
      ...query,
      before,
      limit: query.limit - found.length,
    });
    found.push(...decisions);
    before = next;
  }
  return found.toReversed();
}

function toRates({ calls, denied, asked, blocked, reviewers, days }: GuardRates): string {
  const share = (part: number, of: number): string => (of === 0 ? '-' : `${Math.round((100 * part) / of)} %`);
  const usd = (value: number): string => value.toFixed(4);
  const byReviewer = reviewers.map((it) => [
    it.reviewer,
    String(it.reviews),
    String(it.denied),
    share(it.overturned, it.appealed),
    usd(it.usd),
  ]);
  return [
    `${calls} calls, ${denied} denied (${share(denied, calls)}), ${asked} asked (${share(asked, calls)}), ${blocked} ends of turns blocked\n`,
    ...(reviewers.length === 0
      ? []
      : [toTable([['REVIEWER', 'REVIEWS', 'DENIED', 'OVERTURNED', 'USD'], ...byReviewer])]),
    ...(days.length === 0
      ? []
      : [
          toTable([
            ['DAY', 'CALLS', 'DENIED', 'USD'],
            ...days.map((it) => [it.day, String(it.calls), String(it.denied), usd(it.usd)]),
          ]),
        ]),
  ].join('\n');
}

function toRow({ seq, at, verdict, tool, event, rule, text }: GuardDecision): string[] {
  const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  return [String(seq), time, verdict, tool ?? event, rule, toLine(text, 80)];
}

export const explain: LeafCommand = {
  name: 'explain',
  summary: 'show one decision of the guard with its reason and its reviews',
  examples: ['klaus guard explain 01J'],
  server: 'none',
  declare: (declared) => declared.argument('<id>', 'as in klaus guard log').option('--json', 'one JSON object'),
  async run(id: string, { json }: Options) {
    const seq = /^\d+$/.test(id) ? Number(id) : 0;
    await using klaus = await openKlaus();
    for await (const event of klaus.store.hostEvents({ type: 'guard.decided', after: seq - 1 })) {
      if (event.seq !== seq || event.type !== 'guard.decided') break;
      if (json) out.json(event);
      else out.write(toText(event));
      return;
    }
    throw new UsageError(`The guard has no decision ${id}.`, '`klaus guard log --all` lists them.');
  },
};

function toText({
  verdict,
  tool,
  event,
  text,
  rule,
  reason,
  reviews = [],
  workspace,
  guarded,
  agent,
  at,
}: GuardDecision): string {
  const rows = [
    ['verdict', verdict],
    ['call', `${tool ?? event}: ${toLine(text, 500)}`],
    ['rule', rule],
    ['reason', toLine(reason, 1_000)],
    ...reviews.map((it) => ['review', `${it.reviewer} ${it.outcome} by ${it.decidedBy}: ${toLine(it.reason, 500)}`]),
    ['project', workspace],
    ['session', `${guarded}${agent === undefined ? '' : `, subagent ${agent}`}`],
    ['time', new Date(at).toISOString()],
  ];
  return rows.map(([name, value]) => `${name!.padEnd(8)} ${value}\n`).join('');
}
