import type { GitContext } from '../git.ts';
import { findRepository } from '../repository.ts';
import type { GitText, GitTextOptions } from './git-text.ts';
import { runDiff, runText } from './run-diff.ts';

/**
 * Compares with HEAD, or with the empty tree before the first commit. `$0` is `--cached` or empty; standard input has the
 * new files. They are added to a copy of the index, so that the diff contains them and the repository does not change.
 * The copy keeps its time: Git compares the content of files that changed since then.
 */
const SCRIPT = `
set -eu
from=$(git rev-parse --verify -q HEAD) || from=$(git hash-object -t tree /dev/null)
if [ -z "$0" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  index=$(git rev-parse --git-path index)
  if [ -f "$index" ]; then cp -p "$index" "$folder/index"; fi
  export GIT_INDEX_FILE="$folder/index"
  GIT_LITERAL_PATHSPECS=1 git add --intent-to-add --pathspec-from-file=- --pathspec-file-nul
fi
git --no-pager -c core.bigFileThreshold=8m diff $0 "$from" "$@"
`;

export interface WorkingDiffOptions extends GitTextOptions {
  /** True: only what the index has. Default: all changes, with new files that Git does not ignore. */
  staged?: boolean;
}

/** The uncommitted changes of a workspace as a diff. @throws KlausError `tool.failed`. */
export async function readWorkingDiff(
  context: GitContext,
  { staged = false, ...options }: WorkingDiffOptions,
): Promise<GitText> {
  const repository = await findRepository(context);
  const created = staged ? [] : await listNewFiles(context, repository);
  const { leftOut, ...diff } = await runDiff(context, {
    ...options,
    repository,
    command: ['/bin/sh', '-c', SCRIPT, staged ? '--cached' : ''],
    stdin: created
      .filter((path) => !options.isHidden(path))
      .map((path) => `${path}\0`)
      .join(''),
  });
  return { ...diff, leftOut: [...leftOut, ...created.filter(options.isHidden)] };
}

/** Files that are not in the index and not ignored. A repository in the folder, which ends with a slash, is left out. */
async function listNewFiles(
  context: GitContext,
  repository: Awaited<ReturnType<typeof findRepository>>,
): Promise<string[]> {
  const command = ['git', 'ls-files', '-z', '--others', '--exclude-standard'];
  const { text } = await runText(context, command, { repository });
  // A list that was cut ends with a part of a path.
  return text
    .split('\0')
    .slice(0, -1)
    .filter((path) => !path.endsWith('/'));
}
