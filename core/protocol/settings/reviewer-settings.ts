import { z } from 'zod';
import { TIERS } from './provider-table.ts';
import { defineSetting } from './setting.ts';

/** Every reviewer; see `core/reviewers`. */
export const REVIEWER_NAMES = [
  'tool-approve',
  'tool-appeal',
  'error-acknowledge',
  'plan-validate',
  'intent-validate',
  'style-drift',
  'claude-md-validate',
  'validate-intent',
] as const;
export type ReviewerName = (typeof REVIEWER_NAMES)[number];

/** Settings of the reviewers. A project cannot set them. */
export const REVIEWER_SETTINGS = {
  'reviewers.use': defineSetting({
    schema: z.array(z.enum(REVIEWER_NAMES)),
    default: [] as ReviewerName[],
    env: 'KLAUS_REVIEWERS_USE',
    values: 'names of reviewers; in a variable separated by commas',
    description: 'Reviewers that judge the edits and commands of sessions of Klaus before they run.',
  }),
  'reviewers.tiers': defineSetting({
    schema: z.partialRecord(z.enum(REVIEWER_NAMES), z.enum(TIERS)),
    unset: 'the tier of each reviewer',
    values: 'for each reviewer: opus, sonnet or haiku',
    description: 'Tiers of the models that reviewers ask.',
  }),
  'reviewers.timeoutMs': defineSetting({
    schema: z.int().min(1_000).max(600_000),
    default: 20_000,
    env: 'KLAUS_REVIEWERS_TIMEOUT_MS',
    description: 'Milliseconds after which a request of a reviewer to its model counts as failed.',
  }),
} as const;
