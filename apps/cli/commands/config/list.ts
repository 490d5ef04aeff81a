import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';

export const list: LeafCommand = {
  name: 'list',
  summary: 'print every setting with its source (the default command)',
  examples: ['klaus config list', 'klaus config list --json'],
  server: 'none',
  isDefault: true,
  declare: (declared) =>
    declared.option('--json', 'one JSON document').option('--cwd <folder>', 'the folder whose project file applies'),
  async run({ json, cwd }: Options) {
    await using klaus = await openKlaus({ cwd });
    const rows = klaus.configuration.explain();
    if (json) out.json(rows, 2);
    else {
      const table = rows.map(({ key, value, source, where }) => [
        key,
        value,
        where === undefined ? source : `${source} (${where})`,
      ]);
      out.write(toTable([['SETTING', 'VALUE', 'FROM'], ...table]));
    }
  },
};
