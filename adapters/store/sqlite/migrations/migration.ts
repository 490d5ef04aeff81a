import type { Database } from '../database.ts';

/** One step of the schema. The database stores the names of the applied steps, so a released name never changes. */
export interface Migration {
  readonly name: string;
  /** Statements of SQL, or a function that runs them. */
  readonly apply: string | ((database: Database) => void);
}
