import { openKlaus } from '../../client/open-klaus.ts';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { addProject } from '../agents/definition-options.ts';

export const list: LeafCommand = {
  name: 'list',
  isDefault: true,
  summary: 'list the hooks of this folder (the default)',
  examples: ['klaus hooks list'],
  server: 'local',
  declare: (declared) => addProject(declared.option('--json', 'one object per line')),
  async run({ cwd, json }: Options) {
    await using klaus = await openKlaus({ cwd });
    const { values } = await klaus.configurationOf(klaus.configuration.values.workspace);
    const rows = Object.entries(values.hooks).flatMap(([event, groups]) =>
      groups.flatMap(({ matcher = '*', hooks, project }) =>
        hooks.map((hook) => ({
          event,
          matcher: matcher === '' ? '*' : matcher,
          place: project ? 'project' : 'user',
          type: hook.type,
          runs: hook.type === 'command' ? hook.command : hook.url.replace(/[?#].*$/, ''),
          timeout: hook.timeout ?? 60,
        })),
      ),
    );
    printRows(rows, {
      json,
      head: ['EVENT', 'TOOLS', 'OF', 'SECONDS', 'RUNS'],
      toRow: ({ event, matcher, place, timeout, runs }) => [event, matcher, place, String(timeout), runs],
      empty: 'There are no hooks.',
    });
    return EXIT.done;
  },
};
