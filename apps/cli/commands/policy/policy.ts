import { optional } from '@klaus/sdk/optional';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { outputWidth, toTable } from '../../output/table.ts';
import { out } from '../../output/sink.ts';

/** `klaus policy check`: what is in force; a policy file that is wrong ends with exit code 3. */
export async function checkPolicy(options: { json?: true; cwd?: string }): Promise<number> {
  await using klaus = await openKlaus({ cwd: options.cwd });
  const { entries, secrets, sources } = await klaus.policy();
  const rules = entries.map(({ verdict, kind, pattern, reason, where }) => ({
    ...{ verdict, kind, pattern },
    ...optional({ reason }),
    where,
  }));
  if (options.json === true) {
    out.json({ sources, rules, secrets }, 2);
    return EXIT.done;
  }
  if (sources.length === 0) {
    out.write('No policy file is here.\n');
    return EXIT.done;
  }
  const rows = [
    ...rules.map(({ verdict, kind, pattern, where, reason = '' }) => [verdict, kind, pattern, where, reason]),
    ...secrets.map((pattern) => ['secret', 'file', pattern, '', '']),
  ];
  if (rows.length > 0) out.write(toTable(rows, outputWidth()));
  for (const { path, hash } of sources) out.write(`${path} is in force, SHA-256 ${hash}\n`);
  return EXIT.done;
}
