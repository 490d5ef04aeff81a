import type { Migration } from './migration.ts';

/** How each charged request ended: what a crash abandoned can be told from what was answered. */
export const m005: Migration = {
  name: 'm005-usage-outcome',
  apply(database) {
    database.exec(`ALTER TABLE token_usage ADD COLUMN outcome TEXT NOT NULL DEFAULT 'ok'`);
    database.exec(OUTCOMES);
  },
};

// Rows stand in the order of their events; requests that cost nothing have none.
const OUTCOMES = `
UPDATE token_usage SET outcome = paired.outcome FROM (
  SELECT usages.id, attempts.outcome FROM (
    SELECT id, session_id, row_number() OVER (PARTITION BY session_id ORDER BY id) AS number FROM token_usage
  ) AS usages JOIN (
    SELECT session_id, record ->> '$.outcome' AS outcome,
      row_number() OVER (PARTITION BY session_id ORDER BY seq) AS number
    FROM events WHERE type = 'model.attempted' AND (coalesce(record ->> '$.usd', 0) > 0
      OR (record ->> '$.usage.input') + (record ->> '$.usage.output')
        + (record ->> '$.usage.cacheRead') + (record ->> '$.usage.cacheWrite') > 0)
  ) AS attempts USING (session_id, number)
) AS paired WHERE paired.id = token_usage.id`;
