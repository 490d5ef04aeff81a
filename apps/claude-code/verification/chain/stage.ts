import type { StagedChanges } from '@klaus/sdk/verification';
import type { Chain } from './chain.ts';
import { StageFailure } from './failure.ts';
import { findChecks } from './find-checks.ts';
import type { Stage } from './result.ts';

export interface StageOptions {
  stage: Stage;
  /** Relative to the folder. Default: all changes that are not ignored. */
  paths?: readonly string[];
  /** Run the pre-commit hook. */
  hooks: boolean;
}

/**
 * The tree that a commit would have. Nothing is committed, and the index does not change.
 *
 * @throws StageFailure `commit.secrets`, `commit.others`, `commit.nothing`, `commit.failed`,
 *   `commit.unequal`, `check.weakened`, `confirm.submodule`, `confirm.large`.
 */
export async function stage(chain: Chain, { stage: name, paths, hooks }: StageOptions): Promise<StagedChanges> {
  const checks = findChecks(chain.folder);
  const input = { hooks, checks, ...(paths === undefined ? {} : { paths: [...paths] }) };
  const { outcome, output, detail } = await chain.call(name, { name: 'stage_changes', input });
  const staged = detail as (StagedChanges & { secrets?: unknown }) | undefined;
  if (staged?.secrets !== undefined) throw new StageFailure({ stage: name, code: 'commit.secrets' }, output);
  if (outcome !== 'ok' || !staged?.tree) throw new StageFailure({ stage: name, code: 'commit.failed' }, output);
  if (staged.others.length > 0) {
    const names = staged.others.slice(0, 20).join(', ');
    throw new StageFailure({ stage: name, code: 'commit.others' }, `Other changes are in the folder: ${names}.`, {
      hint: 'The checks would not test what is committed. Commit all changes, or stash the others.',
    });
  }
  // A comparison with the words of the user needs no proof.
  const problem = name === 'intent' ? undefined : findProblem(staged);
  if (problem) throw new StageFailure({ stage: name, code: problem.code }, problem.message, { hint: problem.hint });
  if (staged.files.length === 0)
    throw new StageFailure({ stage: name, code: 'commit.nothing' }, 'There are no changes.');
  return staged;
}

/** Why a change cannot be checked and reviewed completely. */
function findProblem({ unequal, weakened, submodules, cut }: StagedChanges) {
  const list = (names: readonly string[]): string => names.slice(0, 20).join(', ');
  if (unequal.length > 0)
    return {
      code: 'commit.unequal',
      message: `The files on disk are not those that would be committed: ${list(unequal)}.`,
      hint: 'Remove the filter, the encoding, the sparse checkout or the flag of the index that makes them differ.',
    };
  if (weakened.length > 0)
    return {
      code: 'check.weakened',
      message: `The change weakens the checks that judge it: ${list(weakened)}.`,
      hint: 'Undo that, or let the user commit it with `git commit`.',
    };
  if (submodules.length > 0)
    return {
      code: 'confirm.submodule',
      message: `The content of submodules cannot be reviewed: ${list(submodules)}.`,
      hint: 'Let the user commit them with `git commit`.',
    };
  if (cut)
    return {
      code: 'confirm.large',
      message: 'The change is too large to be reviewed completely.',
      hint: 'Stash a part of it, and commit the rest first.',
    };
  return undefined;
}

/** @throws StageFailure `commit.changed` if the folder has other changes than those that were staged. */
export async function checkUnchanged(chain: Chain, staged: StagedChanges, options: StageOptions): Promise<void> {
  const now = await stage(chain, { ...options, hooks: false });
  if (now.tree === staged.tree && now.head === staged.head) return;
  const changed = now.files.filter((file) => !staged.files.includes(file)).slice(0, 20);
  throw new StageFailure(
    { stage: options.stage, code: 'commit.changed' },
    `The changes are not those that were prepared${changed.length > 0 ? `: ${changed.join(', ')}` : ''}.`,
    { hint: 'A check, a hook or another program changed files. Try again.' },
  );
}
