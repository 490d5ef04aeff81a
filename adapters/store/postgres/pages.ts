import type { Sql } from './database.ts';

/** Rows of a page. */
const SIZE = 256;

/**
 * Rows in the order of `key`, read in pages.
 *
 * @param text Reads one page: the rows after `$1`, at most `$2`. The other values follow.
 */
export async function* readPages<Row>(
  sql: Sql,
  text: string,
  { key, after, values = [] }: { key: keyof Row; after: unknown; values?: readonly unknown[] },
): AsyncGenerator<Row, void, undefined> {
  for (let last = after; ;) {
    const rows = await sql.all<Row>(text, [last, SIZE, ...values]);
    yield* rows;
    if (rows.length < SIZE) return;
    last = rows.at(-1)![key];
  }
}
