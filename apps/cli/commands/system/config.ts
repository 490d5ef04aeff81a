import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { outputWidth, toTable } from '../../output/table.ts';
import { out } from '../../output/sink.ts';

/** `klaus config`: every setting with its value and where that came from. Secrets are never shown. */
export async function config(options: { json?: true; cwd?: string }): Promise<number> {
  await using klaus = await openKlaus({ cwd: options.cwd });
  const rows = klaus.configuration.explain();
  if (options.json === true) {
    out.json(rows, 2);
    return EXIT.done;
  }
  const table = rows.map((row) => [
    row.key,
    row.value,
    row.where === undefined ? row.source : `${row.source} (${row.where})`,
  ]);
  out.write(toTable([['SETTING', 'VALUE', 'FROM'], ...table], outputWidth()));
  return EXIT.done;
}
