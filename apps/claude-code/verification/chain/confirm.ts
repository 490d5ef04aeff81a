import type { StagedChanges } from '@klaus/sdk/verification';
import type { Chain } from './chain.ts';
import { check } from './check.ts';
import { toStageFailure } from './failure.ts';
import type { Check, ConfirmResult } from './result.ts';
import { review, type Review } from './review.ts';
import { checkUnchanged, stage, type StageOptions } from './stage.ts';

export interface Confirmed {
  staged: StagedChanges;
  checks: readonly Check[];
  review: Review;
}

/**
 * Checks and reviews one tree: confirm → check. Its files are the same before and after.
 *
 * @throws StageFailure of the stage `check` or `confirm`, or of `options.stage` for what prevents a commit.
 */
export async function verify(chain: Chain, options: StageOptions): Promise<Confirmed> {
  chain.report(`${options.stage}: preparing the changes`);
  const staged = await stage(chain, options);
  const { checks = [] } = await check(chain);
  // Also a hook can change what is committed without changing the files, so that the checks tested something else.
  await checkUnchanged(chain, staged, options);
  try {
    return { staged, checks, review: await review(chain, { staged, checks }) };
  } catch (error) {
    throw toStageFailure('confirm', error);
  }
}

export async function confirm(chain: Chain, { paths }: { paths?: readonly string[] }): Promise<ConfirmResult> {
  const options: StageOptions = { stage: 'confirm', paths, hooks: false };
  const {
    staged,
    checks,
    review: { summary, findings, session },
  } = await verify(chain, options);
  await checkUnchanged(chain, staged, options);
  return { ok: true, message: summary, tree: staged.tree, checks: [...checks], findings, session };
}
