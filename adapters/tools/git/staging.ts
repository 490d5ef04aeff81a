import { tailOf } from '@klaus/core/cut-text';
import { isSecretFile } from '@klaus/core/policy';
import type { KlausError } from '@klaus/core/protocol';
import type { ExecResult } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';
import { isHiddenFile } from './hidden-file.ts';
import { HOOK_FAILED, RUN_HOOK } from './hooks.ts';
import { runGit, toGitError, type GitContext } from './git.ts';
import type { Repository } from './repository.ts';

export type CommitSource = { kind: 'staged' } | { kind: 'all' } | { kind: 'paths'; paths: readonly string[] };

/** A file of a commit that differs from its parent. */
export interface StagedFile {
  /** Relative to the working tree's top. */
  path: string;
  blob: string;
  /** Object id in the parent; undefined for a new file. */
  before: string | undefined;
}

/** A tree in the object store without a commit. */
export interface StagedTree {
  tree: string;
  /** The tree before the pre-commit hook; the same if the hook changed nothing. */
  staged: string;
  /** Object id of HEAD; '' before the first commit. */
  head: string;
  files: StagedFile[];
  /** Files of the parent that the tree does not have. */
  deleted: (Pick<StagedFile, 'path' | 'before'> & { blob: undefined })[];
  /** Rows of the difference to the parent, deletions included. */
  changes: number;
  merging: boolean;
  /** Changed files that could not be read, such as hidden secret files. Relative to the workspace. */
  leftOut: string[];
  /** Files that seem deleted. Relative to the workspace. */
  missing: string[];
  /** Untracked files that are not in the paths. Relative to the workspace. */
  untracked: string[];
}

/** Characters of a hook's output, from its end. */
const MAX_HOOK_OUTPUT = 4_000;

const STAGE = `
set -eu
${RUN_HOOK}for state in CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply; do
  if [ -e "$GIT_DIR/$state" ]; then printf 'busy\\0%s\\0' "$state"; exit 0; fi
done
lock=$(git rev-parse --git-path index).lock
if [ -e "$lock" ]; then printf 'locked\\0%s\\0' "$lock"; exit 0; fi
unmerged=$(git diff --name-only --diff-filter=U | head -n 20)
if [ -n "$unmerged" ]; then printf 'unmerged\\0%s\\0' "$unmerged"; exit 0; fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
index=$(git rev-parse --git-path index)
if [ -f "$index" ]; then cp -p "$index" "$tmp/index"; fi
export GIT_INDEX_FILE="$tmp/index"
head=$(git rev-parse -q --verify 'HEAD^{commit}' || true)
merging=
if [ -f "$GIT_DIR/MERGE_HEAD" ]; then merging=yes; fi
# Without write access every file would count as unreadable.
git hash-object -w --stdin </dev/null >/dev/null
: >"$tmp/missing"
# Exit code 1 means that single files could not be read, such as hidden ones.
failed=
case $KLAUS_SOURCE in
  all)
    git ls-files -z --deleted -- . >"$tmp/missing"
    # Untracked files are committed only by name.
    git add -u --ignore-errors -- . || { [ $? -eq 1 ] && failed=yes; } ;;
  paths)
    if [ -n "$merging" ]; then printf 'merging\\0'; exit 0; fi
    if [ -n "$head" ]; then git read-tree --reset "$head"; else git read-tree --empty; fi
    git update-index -q --refresh >/dev/null || true
    git ls-files -z --deleted -- . >"$tmp/missing"
    git add -A --ignore-errors --pathspec-from-file=- --pathspec-file-nul || { [ $? -eq 1 ] && failed=yes; } ;;
esac
if [ -n "$failed" ]; then
  git diff-files -z --name-only --relative --ignore-submodules=all -- .
  if [ "$KLAUS_SOURCE" = paths ]; then git ls-files -z --others --exclude-standard -- .; fi
fi >"$tmp/left"
if [ "$KLAUS_SOURCE" = all ]; then git ls-files -z --others --exclude-standard -- .; fi >"$tmp/new"
staged=$(git write-tree)
if [ "$KLAUS_HOOKS" = yes ]; then run_hook pre-commit; fi
tree=$(git write-tree)
from=$head
if [ "$KLAUS_AMEND" = yes ]; then from=$(git rev-parse -q --verify 'HEAD^1^{commit}' || true); fi
if [ -z "$from" ]; then from=$(git hash-object -t tree /dev/null); fi
count() { tr -cd '\\0' <"$1" | wc -c; }
printf 'tree\\0%s\\0%s\\0%s\\0%s\\0' "$tree" "$staged" "$head" "$merging"
printf '%s\\0%s\\0%s\\0' "$(count "$tmp/left")" "$(count "$tmp/missing")" "$(count "$tmp/new")"
cat "$tmp/left" "$tmp/missing" "$tmp/new"
git diff-tree -r -z --raw --no-renames --no-abbrev "$from" "$tree"
`;

const BUSY: Readonly<Record<string, string>> = {
  CHERRY_PICK_HEAD: 'A cherry-pick is',
  REVERT_HEAD: 'A revert is',
  'rebase-merge': 'A rebase is',
  'rebase-apply': 'A rebase is',
};

/**
 * Writes the tree of a commit from a private index. The user's index does not change.
 *
 * @param options.hooks Runs the pre-commit hook, which may change the tree. Default true.
 * @throws KlausError `tool.failed` during a conflict, a rebase or the like, and if Git fails.
 */
export async function stageTree(
  context: GitContext,
  options: { repository: Repository; source: CommitSource; amend: boolean; hooks?: boolean },
): Promise<StagedTree> {
  const { repository, source, amend, hooks = true } = options;
  const result = await runGit(context, ['/bin/sh', '-c', STAGE], {
    repository,
    env: { KLAUS_SOURCE: source.kind, KLAUS_AMEND: amend ? 'yes' : 'no', KLAUS_HOOKS: hooks ? 'yes' : 'no' },
    stdin: toPathList(source),
  });
  if (result.exitCode === HOOK_FAILED) throw toHookError(result);
  if (result.exitCode !== 0) throw toGitError(result);
  if (result.truncated) throw toolFailed('Too many files have changed for one commit.');
  const [kind, ...fields] = result.stdout.split('\0');
  switch (kind) {
    case 'busy':
      throw toolFailed(`${BUSY[fields[0]!] ?? 'An operation is'} in progress.`, {
        hint: 'First complete or abort it with run_command.',
      });
    case 'locked':
      throw toLocked(fields[0]!);
    case 'unmerged':
      throw toolFailed(`These files have conflicts: ${fields[0]!.split('\n').join(', ')}.`, {
        hint: 'First resolve them and run git add with run_command.',
      });
    case 'merging':
      throw toolFailed('A merge is in progress, and its commit must be complete. Use all instead of paths.');
    default:
      return refuseHidden(toStagedTree(fields, source), context.workspace.root);
  }
}

/** Another program works on the index. Without it, a commit would be reverted by the next one. */
export function toLocked(lock: string): KlausError {
  return toolFailed(`Not committed: another git process holds ${lock}.`, {
    hint: 'Try again when it has ended. If no git runs, an earlier one was killed: the user can remove the file.',
    retryable: true,
  });
}

export function toHookError({ stderr }: Pick<ExecResult, 'stderr'>): KlausError {
  const text = stderr.trim();
  const shown = text.length > MAX_HOOK_OUTPUT ? `…${tailOf(text, MAX_HOOK_OUTPUT)}` : text;
  return toolFailed(`Not committed. ${shown}`, {
    hint: 'Fix what the hook reports, then commit again.',
  });
}

/** @throws KlausError `tool.failed` if hidden files would be committed as deleted. */
function refuseHidden(staged: StagedTree, root: string): StagedTree {
  const hidden = staged.missing.filter((path) => isHiddenFile(root, path));
  if (hidden.length === 0) return staged;
  throw toolFailed(`These files are hidden here: ${hidden.slice(0, 20).join(', ')}.`, {
    hint: 'They would be committed as deleted. Use paths with the other files.',
  });
}

/** The paths in the format that Git reads from standard input. */
export function toPathList(source: CommitSource): string {
  return source.kind === 'paths' ? source.paths.map((path) => `${path}\0`).join('') : '';
}

/** Parses the output of the script: counts, names of other files, then pairs of `:<mode> <mode> <id> <id> <status>` and a path. */
function toStagedTree(fields: readonly string[], source: CommitSource): StagedTree {
  const [tree = '', staged = '', head = '', merging = '', countLeft, countMissing, countNew, ...rest] = fields;
  const isRequested = (path: string) =>
    source.kind === 'all' ||
    (source.kind === 'paths' && source.paths.some((it) => it === '.' || path === it || path.startsWith(`${it}/`)));
  const leftOut = [...new Set(rest.splice(0, Number(countLeft)))].filter(isRequested);
  const missing = rest.splice(0, Number(countMissing)).filter(isRequested);
  const untracked = rest.splice(0, Number(countNew)).filter((path) => !isSecretFile(path));
  const files: StagedFile[] = [];
  const deleted: StagedTree['deleted'] = [];
  let changes = 0;
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [, mode = '', before = '', blob = ''] = rest[at]!.slice(1).split(' ');
    changes++;
    if (mode === '000000') deleted.push({ path: rest[at + 1]!, before, blob: undefined });
    // A deleted file or another repository has no content to check.
    if (mode === '000000' || mode === '160000') continue;
    files.push({ path: rest[at + 1]!, blob, before: /^0+$/.test(before) ? undefined : before });
  }
  return { tree, staged, head, files, deleted, changes, merging: merging === 'yes', leftOut, missing, untracked };
}
