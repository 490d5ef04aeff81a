import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import type { CommandGroup, LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';

const check: LeafCommand = {
  name: 'check',
  summary: 'print the rules that apply here, or the error in a policy file',
  examples: ['klaus policy check'],
  server: 'none',
  declare: (declared) =>
    declared.option('--cwd <folder>', 'the workspace that they apply to').option('--json', 'one JSON document'),
  async run({ cwd, json }: Options) {
    await using klaus = await openKlaus({ cwd });
    const { entries, secrets, sources } = await klaus.policy();
    if (json) return out.json({ sources, rules: entries.map(({ globs: _, ...rule }) => rule), secrets }, 2);
    if (sources.length === 0) return out.write('There is no policy file.\n');
    const rows = [
      ...entries.map(({ verdict, kind, pattern, where, reason = '' }) => [verdict, kind, pattern, where, reason]),
      ...secrets.map((pattern) => ['secret', 'file', pattern, '', '']),
    ];
    if (rows.length > 0) out.write(toTable(rows));
    for (const { path, hash } of sources) out.write(`${path} applies, SHA-256 ${hash}\n`);
  },
};

export const command: CommandGroup = {
  name: 'policy',
  summary: 'check the policy files',
  examples: ['klaus policy check'],
  commands: [check],
};
