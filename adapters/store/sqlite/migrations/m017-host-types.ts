import type { Migration } from './migration.ts';

/** Events of one type over all subjects, in order: the decisions of the guard, and the states of its installations. */
export const m017: Migration = {
  name: 'm017-host-types',
  apply: 'CREATE INDEX idx_host_events_type ON host_events(type, seq)',
};
