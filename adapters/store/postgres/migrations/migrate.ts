import { KlausError } from '@klaus/core/protocol';
import type { Database, Sql } from '../database.ts';
import { m001 } from './m001-initial.ts';
import { m002 } from './m002-search.ts';
import { m003 } from './m003-append.ts';
import { m004 } from './m004-children.ts';
import { m005 } from './m005-operations.ts';
import { m006 } from './m006-tenants.ts';
import { m007 } from './m007-append-plan.ts';
import { m008 } from './m008-add-events.ts';
import { m009 } from './m009-sweep-wakes.ts';
import { m010 } from './m010-problem-hint.ts';
import { m011 } from './m011-held-cost.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [m001, m002, m003, m004, m005, m006, m007, m008, m009, m010, m011];

/** Number of the advisory lock that one process holds while it changes the schema. */
const MIGRATION_LOCK = 0x6b6c61;

/**
 * Brings the schema up to date, in one transaction. Reads one small table when there is nothing to do. Of several
 * processes that do this at once, one works and the others wait for it.
 *
 * @throws KlausError `store.corrupt` when the database has a step that this program does not know.
 */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  if ((await pending(database, migrations)).length === 0) return;
  await database.transaction(async (sql) => {
    await sql.all('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await sql.run(
      'CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    for (const { name, apply } of await pending(sql, migrations)) {
      if (typeof apply === 'string') await sql.script(apply);
      else await apply(sql);
      await sql.run('INSERT INTO migrations (name) VALUES ($1)', [name]);
    }
  });
}

async function pending(sql: Sql, migrations: readonly Migration[]): Promise<Migration[]> {
  const table = await sql.get<{ name: string | null }>("SELECT to_regclass('migrations')::text AS name");
  if (table?.name == null) return [...migrations];
  const rows = await sql.all<{ name: string }>('SELECT name FROM migrations');
  const applied = new Set(rows.map(({ name }) => name));
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied].find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new KlausError(
      'store.corrupt',
      `The database was changed by a newer Klaus: its schema has the step ${unknown}.`,
      {
        hint: 'Update Klaus, or use another database.',
      },
    );
  }
  return migrations.filter(({ name }) => !applied.has(name));
}
