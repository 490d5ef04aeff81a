import type { Migration } from './migration.ts';

/** What the sweeps of all workers share, so that one of them wakes a session in each interval. */
export const m009: Migration = {
  name: 'm009-sweep-wakes',
  apply: `
CREATE TABLE sweep_wakes (
  session_id text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL,                    -- end of the log when the session was woken
  at bigint NOT NULL,                     -- Unix milliseconds
  wait_ms bigint NOT NULL                 -- for which it is not woken again if its log stays
) WITH (fillfactor = 50);
`,
};
