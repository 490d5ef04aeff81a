import { KlausError } from '@klaus/core/protocol';
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
  /** Object id of HEAD; '' before the first commit. */
  head: string;
  files: StagedFile[];
  /** Rows of the difference to the parent, deletions included. */
  changes: number;
  /** True while a merge waits for its commit. */
  merging: boolean;
}

const STAGE = `
set -eu
for state in CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply; do
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
case $KLAUS_SOURCE in
  all) git add -A -- . ;;
  paths)
    if [ -n "$merging" ]; then printf 'merging\\0'; exit 0; fi
    if [ -n "$head" ]; then git read-tree --reset "$head"; else git read-tree --empty; fi
    git update-index -q --refresh >/dev/null || true
    git add -A --pathspec-from-file=- --pathspec-file-nul ;;
esac
tree=$(git write-tree)
from=$head
if [ "$KLAUS_AMEND" = yes ]; then from=$(git rev-parse -q --verify 'HEAD^1^{commit}' || true); fi
if [ -z "$from" ]; then from=$(git hash-object -t tree /dev/null); fi
printf 'tree\\0%s\\0%s\\0%s\\0' "$tree" "$head" "$merging"
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
      return toStagedTree(fields);
  }
}

/** The paths as Git reads them from standard input. */
export function toPathList(source: CommitSource): string {
  return source.kind === 'paths' ? source.paths.map((path) => `${path}\0`).join('') : '';
}

/** `:<mode> <mode> <id> <id> <status>` and a path, in turns. */
function toStagedTree([tree = '', head = '', merging = '', ...rows]: readonly string[]): StagedTree {
  const files: StagedFile[] = [];
  let changes = 0;
  for (let at = 0; at + 1 < rows.length; at += 2) {
    const [, mode = '', before = '', blob = ''] = rows[at]!.slice(1).split(' ');
    changes++;
    // Deleted, or another repository: there is no content to look at.
    if (mode === '000000' || mode === '160000') continue;
    files.push({ path: rows[at + 1]!, blob, before: /^0+$/.test(before) ? undefined : before });
  }
  return { tree, head, files, changes, merging: merging === 'yes' };
}
