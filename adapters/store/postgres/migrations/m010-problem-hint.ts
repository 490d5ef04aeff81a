import type { Migration } from './migration.ts';

export const m010: Migration = {
  name: 'm010-problem-hint',
  apply: `
ALTER TABLE run_problems ADD COLUMN hint text COLLATE "C"; -- what the user can do
`,
};
