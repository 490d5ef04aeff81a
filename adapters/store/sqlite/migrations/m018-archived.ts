import type { Migration } from './migration.ts';

/** Sessions that lists leave out. */
export const m018: Migration = {
  name: 'm018-archived',
  apply: 'ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0',
};
