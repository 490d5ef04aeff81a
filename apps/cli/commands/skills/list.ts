import { openKlaus } from '../../client/open-klaus.ts';
import { toShortPath } from '../../output/short-path.ts';
import { err } from '../../output/sink.ts';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { addProject } from '../agents/definition-options.ts';

export const list: LeafCommand = {
  name: 'list',
  isDefault: true,
  summary: 'list the skills of this folder (the default); broken ones are reported, with exit code 3',
  examples: ['klaus skills list'],
  server: 'local',
  declare: (declared) => addProject(declared.option('--json', 'one object per line')),
  async run({ cwd, json }: Options) {
    await using klaus = await openKlaus({ cwd });
    const { skills, broken } = await klaus.skills().list();
    printRows(skills, {
      json,
      head: ['NAME', 'OF', 'FROM', 'DESCRIPTION'],
      toRow: ({ name, place, file, description }) => [name, place, toShortPath(file), description],
      empty: 'There are no skills.',
    });
    for (const { error } of broken) err.write(`${error.message}\n`);
    return broken.length === 0 ? EXIT.done : EXIT.config;
  },
};
