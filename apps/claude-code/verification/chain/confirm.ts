import { openCheckEnvironment, toCheckRow, type CheckEnvironment, type StagedChanges } from '@klaus/sdk/verification';
import type { Chain } from './chain.ts';
import { check } from './check.ts';
import { StageFailure, toStageFailure } from './failure.ts';
import { findChecks, readScripts } from './find-checks.ts';
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
  const environment = openCheckEnvironment(chain.klaus, chain.folder);
  await checkEnvironment(environment, chain, staged);
  const { checks = [] } = await check(chain);
  // A check can change what a later one runs.
  await checkEnvironment(environment, chain, staged);
  // Also a hook can change what is committed without changing the files, so that the checks tested something else.
  await checkUnchanged(chain, staged, options);
  try {
    const reviewed = await review(chain, { staged, checks });
    await environment.accept();
    return { staged, checks, review: reviewed };
  } catch (error) {
    throw toStageFailure('confirm', error);
  }
}

/** Programs and settings that no commit has, and so no reviewer sees. @throws StageFailure `check.weakened`. */
async function checkEnvironment(
  environment: CheckEnvironment,
  chain: Chain,
  { ignored }: StagedChanges,
): Promise<void> {
  const rows = findChecks(chain.folder).map((command) => toCheckRow(command, readScripts(chain.folder)));
  const isIgnored = (path: string): boolean =>
    ignored.some((entry) => path === entry || (entry.endsWith('/') && path.startsWith(entry)));
  const found = await environment.findWeakenings(rows, isIgnored);
  if (found.length === 0) return;
  throw new StageFailure(
    { stage: 'check', code: 'check.weakened' },
    `The checks prove nothing: ${found.slice(0, 10).join('; ')}.`,
    {
      hint: 'Install the packages again (npm ci). If the user made this change, the user runs `klaus mcp accept`.',
    },
  );
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
