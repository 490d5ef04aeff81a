import type { Migration } from './migration.ts';

/** What requests without the provider's figure may have cost in addition to their charge. */
export const m011: Migration = {
  name: 'm011-held-cost',
  apply: 'ALTER TABLE token_usage ADD COLUMN held_usd double precision',
};
