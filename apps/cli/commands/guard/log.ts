import type { HostEvent, HostEventOf } from '@klaus/sdk';
import { toLine } from '@klaus/sdk/printable';
import { openKlaus, toFolder } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';

type Decision = HostEventOf<'guard.decided'>;

const isDecision = (event: HostEvent): event is Decision => event.type === 'guard.decided';

export const log: LeafCommand = {
  name: 'log',
  summary: 'list the decisions of the guard, the newest last',
  server: 'none',
  declare: (declared) =>
    declared
      .option('-n, --lines <number>', 'how many', integer(1, 100_000), 50)
      .option('--denied', 'only what was denied or asked')
      .option('--all', 'of all projects (default: of this one)')
      .option('--json', 'one object per line')
      .option('--cwd <folder>', 'the project'),
  async run({ lines, denied, all, json, cwd }: Options & { lines: number; denied?: true; all?: true }) {
    const { realpathSync } = await import('node:fs');
    const project = realpathSync(toFolder(cwd ?? '.'));
    await using klaus = await openKlaus();
    const found: Decision[] = [];
    const filter = { type: 'guard.decided' as const, ...(all ? {} : { subject: project }) };
    for await (const event of klaus.store.hostEvents(filter)) {
      if (!isDecision(event) || (denied && event.verdict === 'allow')) continue;
      found.push(event);
      if (found.length > lines) found.shift();
    }
    if (json) for (const event of found) out.json(event);
    else if (found.length === 0) err.write('The guard has decided nothing here yet. klaus guard doctor checks it.\n');
    else out.write(toTable([['ID', 'TIME', 'VERDICT', 'TOOL', 'RULE', 'CALL'], ...found.map(toRow)]));
  },
};

function toRow({ seq, at, verdict, tool, event, rule, text }: Decision): string[] {
  const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  return [String(seq), time, verdict, tool ?? event, rule, toLine(text, 80)];
}

export const explain: LeafCommand = {
  name: 'explain',
  summary: 'show one decision of the guard with its reason and its reviews',
  server: 'none',
  declare: (declared) => declared.argument('<id>', 'as in klaus guard log').option('--json', 'one JSON object'),
  async run(id: string, { json }: Options) {
    const seq = /^\d+$/.test(id) ? Number(id) : 0;
    await using klaus = await openKlaus();
    for await (const event of klaus.store.hostEvents({ type: 'guard.decided', after: seq - 1 })) {
      if (event.seq !== seq || !isDecision(event)) break;
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
}: Decision): string {
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
