import { headOf } from '@klaus/core/cut-text';
import { KlausError } from '@klaus/core/protocol';
import type { ToolContext, ToolOutput } from '@klaus/core/agent';
import { checkWord } from '../shell/quote.ts';
import { toolFailed } from '../tool-failed.ts';
import { runGit, toGitError } from './git.ts';
import { HOOK_FAILED, RUN_HOOK } from './hooks.ts';
import type { Repository } from './repository.ts';
import { toHookError, toPathList, type CommitSource, type StagedTree } from './staging.ts';

/** Characters. */
const MAX_MESSAGE = 20_000;
/** Characters of all paths together. */
const MAX_PATHS = 50_000;

/** @throws KlausError `tool.failed` for a message that is empty or too long. */
export function checkMessage(message: string): void {
  if (checkWord('message', message).trim() === '') throw toolFailed('The message is empty.');
  if (message.length > MAX_MESSAGE) throw toolFailed('The message is too long.');
}

/** @throws KlausError `tool.failed` for an invalid path, `workspace.outside`. */
export async function toPaths(
  paths: readonly string[],
  { workspace }: Pick<ToolContext, 'workspace'>,
): Promise<Extract<CommitSource, { kind: 'paths' }>> {
  if (paths.join('').length > MAX_PATHS) throw toolFailed('There are too many paths. Use all.');
  const resolved: string[] = [];
  for (const path of paths) {
    // The last part is not resolved: Git stores a link as a link, and a deleted file does not exist.
    const at = path.replace(/\/+$/, '').lastIndexOf('/');
    const folder = await workspace.resolve(at < 0 ? '.' : path.slice(0, at) || '/');
    const name = checkWord('path', path.replace(/\/+$/, '').slice(at + 1));
    if (name === '..') throw new KlausError('workspace.outside', `${path} is not below the workspace.`);
    resolved.push([folder.relative, name === '.' ? '' : name].filter((part) => part !== '').join('/') || '.');
  }
  return { kind: 'paths', paths: resolved };
}

export function toSubject(message: string): string {
  return headOf(message.trim().split('\n')[0]!, 100);
}

export const LEFT_OUT = 'Left out, because they are hidden secret files or cannot be read';
export const NEW_FILES = 'New files are committed only if paths contains them';

/** One line, or none without paths. */
export function describePaths(reason: string, paths: readonly string[]): string[] {
  const more = paths.length > 20 ? ` and ${paths.length - 20} more` : '';
  return paths.length === 0 ? [] : [`${reason}: ${paths.slice(0, 20).join(', ')}${more}.`];
}

const COMMIT = `
set -eu
${RUN_HOOK}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
head=$(git rev-parse -q --verify 'HEAD^{commit}' || true)
if [ "$head" != "$KLAUS_HEAD" ]; then echo 'Another process moved HEAD.' >&2; exit 3; fi
name=$(git config user.name || true)
email=$(git config user.email || true)
export GIT_COMMITTER_NAME="\${name:-$KLAUS_NAME}" GIT_COMMITTER_EMAIL="\${email:-$KLAUS_EMAIL}"
export GIT_AUTHOR_NAME="$GIT_COMMITTER_NAME" GIT_AUTHOR_EMAIL="$GIT_COMMITTER_EMAIL"
set --
verb=commit
if [ "$KLAUS_AMEND" = yes ]; then
  if [ -n "$(git for-each-ref --contains "$head" --count=1 refs/remotes)" ]; then
    echo 'The last commit is already on a remote. Amending it would rewrite shared history.' >&2; exit 3
  fi
  verb='commit (amend)'
  GIT_AUTHOR_NAME=$(git log -1 --format=%an "$head")
  GIT_AUTHOR_EMAIL=$(git log -1 --format=%ae "$head")
  export GIT_AUTHOR_DATE="$(git log -1 --format=%ad --date=raw "$head")"
  for parent in $(git rev-parse "$head^@"); do set -- "$@" -p "$parent"; done
elif [ -n "$head" ]; then
  set -- -p "$head"
  if [ -f "$GIT_DIR/MERGE_HEAD" ]; then
    while read -r parent; do set -- "$@" -p "$parent"; done < "$GIT_DIR/MERGE_HEAD"
  fi
fi
# The hooks receive the message in a file, and may change it.
printf '%s\\n' "$KLAUS_MESSAGE" >"$tmp/COMMIT_EDITMSG"
(run_hook prepare-commit-msg "$tmp/COMMIT_EDITMSG" message) || exit $?
(run_hook commit-msg "$tmp/COMMIT_EDITMSG") || exit $?
commit=$(git stripspace <"$tmp/COMMIT_EDITMSG" | git commit-tree --no-gpg-sign "$@" -F - "$KLAUS_TREE")
git update-ref -m "$verb: $KLAUS_SUBJECT" HEAD "$commit" "$head"
# The commit is valid even if the index cannot be updated.
case $KLAUS_SOURCE in
  all) git read-tree --reset "$commit" ;;
  paths) git reset -q --pathspec-from-file=- --pathspec-file-nul ;;
esac && {
  # Files that the pre-commit hook changed.
  git diff-tree -r -z --name-only "$KLAUS_STAGED" "$KLAUS_TREE" >"$tmp/hooked"
  if [ -s "$tmp/hooked" ]; then git reset -q --pathspec-from-file="$tmp/hooked" --pathspec-file-nul; fi
} || echo 'The index could not be updated. Run git reset.'
git update-index -q --refresh >/dev/null || true
rm -f "$GIT_DIR/MERGE_HEAD" "$GIT_DIR/MERGE_MSG" "$GIT_DIR/MERGE_MODE" "$GIT_DIR/AUTO_MERGE" "$GIT_DIR/SQUASH_MSG"
(run_hook post-commit) || true
branch=$(git symbolic-ref -q --short HEAD || echo 'detached HEAD')
echo "[$branch $(git rev-parse --short "$commit")] $KLAUS_SUBJECT"
git diff-tree --root -r --no-commit-id --no-ext-diff --no-textconv --stat=100 "$commit"
`;

/** Commits a staged tree, after the hooks of the message. */
export async function commitStaged(
  context: ToolContext,
  job: { repository: Repository; source: CommitSource; staged: StagedTree; amend: boolean; message: string },
): Promise<ToolOutput> {
  const { repository, source, staged, amend, message } = job;
  const result = await runGit(context, ['/bin/sh', '-c', COMMIT], {
    repository,
    env: {
      KLAUS_HEAD: staged.head,
      KLAUS_TREE: staged.tree,
      KLAUS_STAGED: staged.staged,
      KLAUS_SOURCE: source.kind,
      KLAUS_AMEND: amend ? 'yes' : 'no',
      KLAUS_MESSAGE: message,
      KLAUS_SUBJECT: toSubject(message),
      KLAUS_NAME: context.gitIdentity.name,
      KLAUS_EMAIL: context.gitIdentity.email,
    },
    stdin: toPathList(source),
  });
  if (result.exitCode === HOOK_FAILED) throw toHookError(result);
  if (result.exitCode === 3) throw toolFailed(result.stderr.trim());
  if (result.exitCode !== 0) throw toGitError(result);
  const hash = /^\[.* ([0-9a-f]+)\] /.exec(result.stdout)?.[1];
  const text = [
    result.stdout.trimEnd(),
    ...describePaths(LEFT_OUT, staged.leftOut),
    ...describePaths(NEW_FILES, staged.untracked),
  ];
  return { text: text.join('\n'), detail: { commit: hash, files: staged.changes } };
}
