import type { Sql } from '../database.ts';

/** One step of the schema. The database stores the names of the applied steps, so a released name never changes. */
export interface Migration {
  readonly name: string;
  /** Statements of SQL without values, or a function that runs them. */
  readonly apply: string | ((sql: Sql) => Promise<void>);
}
