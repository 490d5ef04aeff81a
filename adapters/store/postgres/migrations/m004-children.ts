import type { Migration } from './migration.ts';

/** The events about child sessions, which views read for each session. */
export const m004: Migration = {
  name: 'm004-children',
  apply: `
CREATE INDEX idx_events_children ON events(session_id, seq) WHERE type IN ('child.opened', 'child.closed');
`,
};
