import { optional } from '@klaus/sdk/optional';
import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import { outputWidth, toTable } from '../../output/table.ts';
import type { CommandGroup, LeafCommand } from '../../program/cli-command.ts';

const check: LeafCommand = {
  name: 'check',
  summary: 'print the rules that apply here, or the error in a policy file',
  server: 'none',
  declare: (declared) =>
    declared.option('--cwd <folder>', 'the workspace that they apply to').option('--json', 'one JSON document'),
  async run({ cwd, json }: { json?: true; cwd?: string }) {
    await using klaus = await openKlaus({ cwd });
    const { entries, secrets, sources } = await klaus.policy();
    if (json) {
      const rules = entries.map(({ verdict, kind, pattern, reason, where }) => ({
        ...{ verdict, kind, pattern },
        ...optional({ reason }),
        where,
      }));
      out.json({ sources, rules, secrets }, 2);
      return;
    }
    if (sources.length === 0) {
      out.write('There is no policy file.\n');
      return;
    }
    const rows = [
      ...entries.map(({ verdict, kind, pattern, where, reason = '' }) => [verdict, kind, pattern, where, reason]),
      ...secrets.map((pattern) => ['secret', 'file', pattern, '', '']),
    ];
    if (rows.length > 0) out.write(toTable(rows, outputWidth()));
    for (const { path, hash } of sources) out.write(`${path} applies, SHA-256 ${hash}\n`);
  },
};

export const command: CommandGroup = { name: 'policy', summary: 'check the policy files', commands: [check] };
