import { claudeMdValidate } from './definitions/claude-md-validate.ts';
import { errorAcknowledge } from './definitions/error-acknowledge.ts';
import { intentValidate } from './definitions/intent-validate.ts';
import { planValidate } from './definitions/plan-validate.ts';
import { styleDrift } from './definitions/style-drift.ts';
import { toolAppeal } from './definitions/tool-appeal.ts';
import { toolApprove } from './definitions/tool-approve.ts';
import { validateIntent } from './definitions/validate-intent.ts';
import type { ReviewerName } from '../protocol/settings/reviewer-settings.ts';

/** Every reviewer by its name. The compiler asks for one for each name. */
export const REVIEWERS = {
  'tool-approve': toolApprove,
  'tool-appeal': toolAppeal,
  'error-acknowledge': errorAcknowledge,
  'plan-validate': planValidate,
  'intent-validate': intentValidate,
  'style-drift': styleDrift,
  'claude-md-validate': claudeMdValidate,
  'validate-intent': validateIntent,
} as const satisfies Record<ReviewerName, unknown>;
