import { toLine } from '@klaus/sdk/printable';
import { EXIT } from '../../program/exit-codes.ts';
import { outputWidth, toTable } from '../../output/table.ts';
import { err, out } from '../../output/sink.ts';

/** Characters of one value in the table. */
const MAX_VALUE = 200;

/** `klaus db query`: prints what a statement reads, as a table or as one object a line. */
export async function query(sql: string, { json, limit }: { json?: true; limit: number }): Promise<number> {
  const { queryDatabase } = await import('@klaus/sdk');
  const { rows, more } = await queryDatabase(sql, { limit });
  const [first] = rows;
  if (json === true) for (const row of rows) out.json(toPlain(row));
  else if (first === undefined) err.write('No rows.\n');
  else {
    const names = Object.keys(first);
    out.write(toTable([names, ...rows.map((row) => names.map((name) => show(row[name])))], outputWidth()));
  }
  if (more) err.write(`Only the first ${limit} rows; --limit takes more.\n`);
  return EXIT.done;
}

function show(value: unknown): string {
  if (value === null || value === undefined) return '';
  return toLine(
    value instanceof Uint8Array ? `${value.length} bytes` : String(value as string | number | bigint),
    MAX_VALUE,
  );
}

/** A large number and bytes are no JSON. */
function toPlain(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'bigint'
        ? Number(value)
        : value instanceof Uint8Array
          ? Buffer.from(value).toString('base64')
          : value,
    ]),
  );
}
