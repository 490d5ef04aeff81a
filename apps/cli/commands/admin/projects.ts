import { resolve } from 'node:path';
import type { OpenedAdministration } from '@klaus/sdk/cluster';
import { printRows } from '../../output/table.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

type Tenants = OpenedAdministration['store']['tenants'];
type ProjectRow = Awaited<ReturnType<Tenants['list']>>[number];
type Rules = ProjectRow['rules'];

/** A limit, or that of the settings. */
type Given = number | 'default';

type Options = { [K in keyof Rules]?: Given } & { json?: true };

/** A number between two limits, or `default` for the value of the settings. */
const ruled =
  (name: string, [least, most]: readonly [number, number], isInteger: boolean) =>
  (text: string): Given => {
    if (text === 'default') return text;
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most && (!isInteger || Number.isInteger(value))) return value;
    const kind = isInteger ? 'an integer' : 'a number';
    throw new UsageError(`\`--${name}\` is ${kind} from ${least} to ${most}, or \`default\`.`);
  };

export const projects: LeafCommand = {
  name: 'projects',
  summary: 'list the projects of the cluster with their limits, or set those of one',
  examples: [
    'klaus admin projects',
    'klaus admin projects /srv/projects/shop --slots 2 --monthly-usd 50',
    'klaus admin projects /srv/projects/shop --priority 1 --weight default',
  ],
  description:
    'Shows the slots, the cost of this month (UTC) and the order of each project. With a project and an option, sets its limit on all workers at once: the next run and the next request use it. `default` is the value of `cluster.projectSlots` or `cluster.projectMonthlyUsd`; 0 is unlimited.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('[project]', 'its folder, or its id')
      .option('--slots <count>', 'sessions that run at the same time', ruled('slots', [0, 100_000], true))
      .option('--monthly-usd <dollars>', 'cost of a calendar month', ruled('monthly-usd', [0, 1e9], false))
      .option('--weight <number>', 'turns beside other projects (default: 1)', ruled('weight', [0.001, 1_000], false))
      .option('--priority <number>', 'smaller numbers run first (default: 3)', ruled('priority', [1, 5], true))
      .option('--json', 'one object per line'),
  async run(given: string | undefined, { json, ...changes }: Options) {
    const isChange = Object.keys(changes).length > 0;
    if (isChange && given === undefined) throw new UsageError('Name the project whose limits are to change.');
    const { openAdministration } = await import('@klaus/sdk/cluster');
    await using opened = await openAdministration();
    const { tenants } = opened.store;
    const month = new Date();
    if (isChange) await tenants.setRules((await findProject(tenants, given!)).tenant, toRules(changes));
    const rows = given === undefined ? await tenants.list(month) : [await findProject(tenants, given)];
    printRows(
      rows.map(({ tenant, root, rules, ...row }) => ({ project: tenant, folder: root, ...rules, ...row })),
      {
        json,
        head: ['PROJECT', 'RUNNING', 'WAITING', 'SLOTS', 'SPENT', 'RESERVED', 'BUDGET', 'WEIGHT', 'PRIORITY', 'FOLDER'],
        toRow: (row) => [
          ...[row.project, String(row.running), String(row.waiting), toLimit(row.slots)],
          // Requests of an unknown price are in none of the sums.
          ...[`${row.unpriced > 0 ? '> ' : ''}${row.spentUsd.toFixed(2)}`, row.reservedUsd.toFixed(2)],
          ...[toLimit(row.monthlyUsd), String(row.weight ?? 1), String(row.priority ?? 3), row.folder],
        ],
        empty: 'No session of the cluster has run yet.',
      },
    );
  },
};

function toRules(changes: Omit<Options, 'json'>): Partial<Rules> {
  const entries = Object.entries(changes).map(([name, value]) => [name, value === 'default' ? null : value]);
  return Object.fromEntries(entries) as Partial<Rules>;
}

function toLimit(value: number | null): string {
  if (value === null) return 'default';
  return value === 0 ? 'unlimited' : String(value);
}

/** @throws UsageError for an unknown project. */
async function findProject(tenants: Tenants, given: string): Promise<ProjectRow> {
  const all = await tenants.list(new Date());
  const folder = resolve(given);
  const found = all.find(({ tenant, root }) => tenant === given || root === folder);
  if (found) return found;
  throw new UsageError(`The cluster has no project ${given}.`, '`klaus admin projects` lists them.');
}
