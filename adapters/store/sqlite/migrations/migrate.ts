import type { Database } from '../database.ts';
import { m001 } from './m001-initial.ts';
import { m003 } from './m003-host-chain.ts';
import { m004 } from './m004-remembered.ts';
import { m002 } from './m002-knowledge.ts';
import { m005 } from './m005-usage-outcome.ts';
import { m006 } from './m006-session-recency.ts';
import { m007 } from './m007-checkpoints.ts';
import { m008 } from './m008-recall.ts';
import { m009 } from './m009-message-search.ts';
import { m010 } from './m010-first-prompt.ts';
import { m011 } from './m011-fewer-pages.ts';
import { m012 } from './m012-outbox.ts';
import { m013 } from './m013-whole-input.ts';
import type { Migration } from './migration.ts';
import { newer } from '../store-error.ts';

/** All steps in order. */
export const MIGRATIONS: readonly Migration[] = [
  m001,
  m002,
  m003,
  m004,
  m005,
  m006,
  m007,
  m008,
  m009,
  m010,
  m011,
  m012,
  m013,
];

/**
 * Brings the schema up to date, in one transaction. Reads one small table when there is nothing to do.
 *
 * @throws KlausError `store.corrupt` when the database has a step that this program does not know.
 */
export function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  if (pending(database, migrations).length === 0) return;
  database.transaction(() => {
    // Another process may have been faster: what is pending is decided under the write lock.
    for (const migration of pending(database, migrations)) {
      migration.apply(database);
      database.run(
        `INSERT INTO migrations (name, applied_at) VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ'))`,
        migration.name,
      );
    }
  });
}

/** Makes the table that `migrate` keeps its names in. */
export function createMigrationsTable(database: Database): void {
  database.exec('CREATE TABLE migrations (name TEXT PRIMARY KEY NOT NULL, applied_at TEXT NOT NULL) STRICT');
}

function pending(database: Database, migrations: readonly Migration[]): Migration[] {
  const applied = new Set(
    database.all<{ name: string }>('SELECT name FROM migrations ORDER BY rowid').map((row) => row.name),
  );
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = [...applied].find((name) => !known.has(name));
  if (unknown !== undefined) throw newer(database.file, `its schema has the step ${unknown}`);
  return migrations.filter((migration) => !applied.has(migration.name));
}
