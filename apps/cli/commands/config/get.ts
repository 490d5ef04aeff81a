import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';

export const get: LeafCommand = {
  name: 'get',
  summary: 'print the value of a setting',
  examples: ['klaus config get model', 'klaus config get limits.usd --json'],
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<key>')
      .option('--json', 'one JSON document, with the source of the value')
      .option('--cwd <folder>', 'the folder whose project file applies'),
  async run(key: string, { json, cwd }: Options) {
    await using klaus = await openKlaus({ cwd });
    const row = klaus.configuration.explain().find((each) => each.key === key) ?? (await klaus.settings.get(key));
    if (json) out.json(row, 2);
    else out.write(`${row.value}\n`);
  },
};
