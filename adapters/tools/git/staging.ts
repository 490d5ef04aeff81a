import { isSecretFile } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import type { ExecResult } from '@klaus/core/agent';
import { isHiddenFile } from './hidden-file.ts';
import { HOOK_FAILED, RUN_HOOK } from './hooks.ts';
import { runGit, toGitError, type GitContext } from './git.ts';
import type { Repository } from './repository.ts';

/** What a commit is made of: what is staged already, everything that changed, or some paths. */
export type CommitSource = { kind: 'staged' } | { kind: 'all' } | { kind: 'paths'; paths: readonly string[] };

/** A file of a commit that is not in its parent as it is. */
export interface StagedFile {
  /** Relative to the working tree's top. */
  path: string;
  /** Object id of the content to commit. */
  blob: string;
  /** Object id of what the parent has; undefined for a new file. */
  before: string | undefined;
}

/** A tree that is written to the object store and that nothing names yet. */
export interface StagedTree {
  tree: string;
  /** The tree before the repository's hook changed it; the same where it did not. */
  staged: string;
  /** Object id of HEAD; '' before the first commit. */
  head: string;
  files: StagedFile[];
  /** Rows of the difference to the parent, deletions included. */
  changes: number;
  /** True while a merge waits for its commit. */
  merging: boolean;
  /** Files that changed and could not be read, such as secret files, which are hidden. Relative to the workspace. */
  leftOut: string[];
  /** Files that were taken for deleted. Relative to the workspace. */
  missing: string[];
  /** Files that Git does not know, and that nobody named. Relative to the workspace. */
  untracked: string[];
}

/** Characters of a hook's output, from its end. */
const MAX_HOOK_OUTPUT = 4_000;

const STAGE = `
set -eu
${RUN_HOOK}for state in CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply; do
  if [ -e "$GIT_DIR/$state" ]; then printf 'busy\\0%s\\0' "$state"; exit 0; fi
done
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
# Where no object can be written every file would count as one that cannot be read.
git hash-object -w --stdin </dev/null >/dev/null
: >"$tmp/missing"
# Exit code 1 means that single files could not be read, as those that are hidden.
failed=
case $KLAUS_SOURCE in
  all)
    git ls-files -z --deleted -- . >"$tmp/missing"
    # Files that git does not know are committed by their names alone.
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
run_hook pre-commit
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
 * Writes the tree that a commit would have, from an index of its own: the user's index stays as it is.
 *
 * @throws KlausError `tool.failed` while a conflict, a rebase or the like is open, and when Git fails.
 */
export async function stageTree(
  context: GitContext,
  options: { repository: Repository; source: CommitSource; amend: boolean },
): Promise<StagedTree> {
  const { repository, source, amend } = options;
  const result = await runGit(context, ['/bin/sh', '-c', STAGE], {
    repository,
    env: { KLAUS_SOURCE: source.kind, KLAUS_AMEND: amend ? 'yes' : 'no' },
    stdin: toPathList(source),
  });
  if (result.exitCode === HOOK_FAILED) throw toHookError(result);
  if (result.exitCode !== 0) throw toGitError(result);
  if (result.truncated) throw new KlausError('tool.failed', 'Too many files have changed for one commit.');
  const [kind, ...fields] = result.stdout.split('\0');
  switch (kind) {
    case 'busy':
      throw new KlausError('tool.failed', `${BUSY[fields[0]!] ?? 'Something is'} under way.`, {
        hint: 'Finish it or abort it with run_command first.',
      });
    case 'unmerged':
      throw new KlausError('tool.failed', `These files have conflicts: ${fields[0]!.split('\n').join(', ')}.`, {
        hint: 'Resolve them and git add them with run_command first.',
      });
    case 'merging':
      throw new KlausError(
        'tool.failed',
        'A merge is under way, and its commit must have all of it: use all, not paths.',
      );
    default:
      return refuseHidden(toStagedTree(fields, source), context.workspace.root);
  }
}

/** What a hook wrote, and that it failed. */
export function toHookError({ stderr }: Pick<ExecResult, 'stderr'>): KlausError {
  const text = stderr.trim();
  const shown = text.length > MAX_HOOK_OUTPUT ? `…${text.slice(-MAX_HOOK_OUTPUT)}` : text;
  return new KlausError('tool.failed', `Not committed. ${shown}`, {
    hint: 'Fix what the hook names, then commit again.',
  });
}

/** @throws KlausError `tool.failed` where files would be committed as deleted that are only hidden. */
function refuseHidden(staged: StagedTree, root: string): StagedTree {
  const hidden = staged.missing.filter((path) => isHiddenFile(root, path));
  if (hidden.length === 0) return staged;
  throw new KlausError('tool.failed', `These files are hidden here: ${hidden.slice(0, 20).join(', ')}.`, {
    hint: 'They would be committed as deleted. Give the paths of the others.',
  });
}

/** The paths as Git reads them from standard input. */
export function toPathList(source: CommitSource): string {
  return source.kind === 'paths' ? source.paths.map((path) => `${path}\0`).join('') : '';
}

/** Names of what was left out and what was missing, then `:<mode> <mode> <id> <id> <status>` and a path, in turns. */
function toStagedTree(fields: readonly string[], source: CommitSource): StagedTree {
  const [tree = '', staged = '', head = '', merging = '', countLeft, countMissing, countNew, ...rest] = fields;
  const isMeant = (path: string) =>
    source.kind === 'all' ||
    (source.kind === 'paths' && source.paths.some((it) => it === '.' || path === it || path.startsWith(`${it}/`)));
  const leftOut = [...new Set(rest.splice(0, Number(countLeft)))].filter(isMeant);
  const missing = rest.splice(0, Number(countMissing)).filter(isMeant);
  const untracked = rest.splice(0, Number(countNew)).filter((path) => !isSecretFile(path));
  const files: StagedFile[] = [];
  let changes = 0;
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [, mode = '', before = '', blob = ''] = rest[at]!.slice(1).split(' ');
    changes++;
    // Deleted, or another repository: there is no content to look at.
    if (mode === '000000' || mode === '160000') continue;
    files.push({ path: rest[at + 1]!, blob, before: /^0+$/.test(before) ? undefined : before });
  }
  return { tree, staged, head, files, changes, merging: merging === 'yes', leftOut, missing, untracked };
}
