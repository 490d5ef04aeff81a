import type { Migration } from './migration.ts';

/**
 * Keeps the plans of the statements in `klaus_append`. For arrays of one element Postgres estimates a plan for the values
 * as cheaper than one for all values, and plans in each call: an eighth of the time of a single append.
 */
export const m007: Migration = {
  name: 'm007-append-plan',
  apply: 'ALTER FUNCTION klaus_append SET plan_cache_mode TO force_generic_plan',
};
