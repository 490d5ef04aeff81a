import { headOf } from '@klaus/core/cut-text';
import { KlausError } from '@klaus/core/protocol';
import type { ExecResult, ToolContext, ToolOutput } from '@klaus/core/agent';
import { checkWord } from '../../shell/quote.ts';
import { toolFailed } from '../../tool-failed.ts';
import { describeRules, signCommit, toIdentity } from './commit-rules.ts';
import { runShownGit, toGitError, type GitOptions } from '../git.ts';
import { HOOK_FAILED, RUN_HOOK } from '../hooks.ts';
import type { Repository } from '../repository.ts';
import { isTrue } from './user-git.ts';
import { toHookError, toLocked, toPathList, type CommitSource, type StagedTree } from '../staging.ts';

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

/** The exit code of the script if another program has locked the index. */
const LOCKED = 5;

/** Begins each script: the verb of the reflog, and the state that was staged. */
const BEGIN = `
set -eu
${RUN_HOOK}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
head=$(git rev-parse -q --verify 'HEAD^{commit}' || true)
if [ "$head" != "$KLAUS_HEAD" ]; then echo 'Another process moved HEAD.' >&2; exit 3; fi
email=$(git config author.email || git config user.email || true)
verb=commit
# The last value of a setting in the configuration of the repository.
own() { git config --show-scope --get-all "$@" | grep -E '^(local|worktree)' | tail -n 1 | cut -f 2-; }
if [ "$KLAUS_AMEND" = yes ]; then verb='commit (amend)'; fi
`;

/** The hooks of the message, and the commit object. */
const MAKE = `
identity() {
  value=$(git config "$1" || git config "$2" || true)
  printf '%s' "\${value:-$3}"
}
only=$(git config --bool user.useConfigOnly || echo "$KLAUS_ONLY")
if [ -z "$email" ] && [ "$only$KLAUS_INVENTED" = trueyes ]; then
  echo 'Not committed: user.useConfigOnly is set, and no identity is configured for this repository.' >&2; exit 3
fi
GIT_AUTHOR_NAME=$(identity author.name user.name "$KLAUS_NAME")
GIT_AUTHOR_EMAIL=$(identity author.email user.email "$KLAUS_EMAIL")
GIT_COMMITTER_NAME=$(identity committer.name user.name "$KLAUS_NAME")
GIT_COMMITTER_EMAIL=$(identity committer.email user.email "$KLAUS_EMAIL")
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
set --
if [ "$KLAUS_AMEND" = yes ]; then
  if [ -n "$(git for-each-ref --contains "$head" --count=1 refs/remotes)" ]; then
    echo 'The last commit is already on a remote. Amending it would rewrite shared history.' >&2; exit 3
  fi
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
# As for a message that was given with -m.
case $(git config commit.cleanup || true) in
  verbatim) cat "$tmp/COMMIT_EDITMSG" ;;
  strip) git stripspace -s <"$tmp/COMMIT_EDITMSG" ;;
  *) git stripspace <"$tmp/COMMIT_EDITMSG" ;;
esac >"$tmp/message"
if ! grep -q '[^[:space:]]' "$tmp/message"; then
  echo 'Not committed: the message is empty after commit.cleanup and the hooks.' >&2; exit 3
fi
commit=$(git commit-tree --no-gpg-sign "$@" -F "$tmp/message" "$KLAUS_TREE")
`;

/** The commit before it is signed: whether the repository wants that, the id, and the object. */
const SHOW = `
printf '%s\\n%s\\n' "$(own --bool commit.gpgSign)" "$commit"
git cat-file commit "$commit"
`;

/** The commit of {@link SHOW}, or its object with a signature. */
const TAKE = `
commit=$KLAUS_COMMIT
if [ -n "$KLAUS_OBJECT" ]; then commit=$(printf '%s' "$KLAUS_OBJECT" | git hash-object -t commit -w --stdin); fi
`;

/** Moves HEAD and the index to the commit. */
const FINISH = `
# As git does: no other program changes the index from here on, and the new one replaces it at once.
index=$(git rev-parse --git-path index)
if ! (set -C; : >"$index.lock") 2>/dev/null; then printf '%s' "$index.lock" >&2; exit 5; fi
trap 'rm -rf "$tmp"; [ -z "$index" ] || rm -f "$index.lock"' EXIT
if [ -f "$index" ]; then cp -p "$index" "$tmp/index"; fi
export GIT_INDEX_FILE="$tmp/index"
case $KLAUS_SOURCE in
  all) git read-tree --reset "$commit" ;;
  paths) git reset -q --pathspec-from-file=- --pathspec-file-nul "$commit" ;;
esac
# Files that the pre-commit hook changed.
git diff-tree -r -z --name-only "$KLAUS_STAGED" "$KLAUS_TREE" >"$tmp/hooked"
if [ -s "$tmp/hooked" ]; then git reset -q --pathspec-from-file="$tmp/hooked" --pathspec-file-nul "$commit"; fi
git update-index -q --refresh >/dev/null || true
unset GIT_INDEX_FILE
git update-ref -m "$verb: $KLAUS_SUBJECT" HEAD "$commit" "$head"
if [ -f "$tmp/index" ]; then cp "$tmp/index" "$index.lock" && mv -f "$index.lock" "$index"; else rm -f "$index.lock"; fi
index=
rm -f "$GIT_DIR/MERGE_HEAD" "$GIT_DIR/MERGE_MSG" "$GIT_DIR/MERGE_MODE" "$GIT_DIR/AUTO_MERGE" "$GIT_DIR/SQUASH_MSG"
(run_hook post-commit) || true
branch=$(git symbolic-ref -q --short HEAD || echo 'detached HEAD')
printf '%s\\n' "$(own --bool commit.gpgSign)" "\${email:+own}" "$(own i18n.commitEncoding)" "$(own commit.template)"
echo "[$branch $(git rev-parse --short "$commit")] $KLAUS_SUBJECT"
git diff-tree --root -r --no-commit-id --no-ext-diff --no-textconv --stat=100 "$commit"
`;

/** Commits a staged tree, after the hooks of the message. */
export async function commitStaged(
  context: ToolContext,
  job: { repository: Repository; source: CommitSource; staged: StagedTree; amend: boolean; message: string },
): Promise<ToolOutput> {
  const { repository, source, staged, amend, message } = job;
  const { root } = context.workspace;
  const user = await context.userGit.settings(root);
  const identity = toIdentity(context);
  const env = {
    KLAUS_HEAD: staged.head,
    KLAUS_TREE: staged.tree,
    KLAUS_STAGED: staged.staged,
    KLAUS_SOURCE: source.kind,
    KLAUS_AMEND: amend ? 'yes' : 'no',
    KLAUS_MESSAGE: message,
    KLAUS_SUBJECT: toSubject(message),
    KLAUS_NAME: identity.name,
    KLAUS_EMAIL: identity.email,
    KLAUS_INVENTED: identity.isInvented ? 'yes' : 'no',
    KLAUS_ONLY: String(isTrue(user.get('user.useconfigonly'))),
  };
  const run: Run = (script, more = {}) =>
    runScript(context, script, { repository, env: { ...env, ...more }, stdin: toPathList(source) });
  const { userGit } = context;
  const sign = userGit.sign && ((payload: string) => userGit.sign!(payload, root));
  const signed = sign && (await signCommit(await run(BEGIN + MAKE + SHOW), { sign, staged, user }));
  const { stdout } = signed ? await run(BEGIN + TAKE + FINISH, signed.env) : await run(BEGIN + MAKE + FINISH);
  const [gpgSign = '', own = '', encoding = '', template = '', ...lines] = stdout.split('\n');
  const report = lines.join('\n');
  const facts = { gpgSign, hasIdentity: own !== '', encoding, template };
  const hash = /^\[.* ([0-9a-f]+)\] /.exec(report)?.[1];
  const notes = describeRules(facts, { user, identity, signed });
  const text = [
    report.trimEnd(),
    ...notes,
    ...describePaths(LEFT_OUT, staged.leftOut),
    ...describePaths(NEW_FILES, staged.untracked),
  ];
  return {
    text: text.join('\n'),
    detail: { commit: hash, files: staged.changes, ...(notes.length > 0 ? { notes } : {}) },
  };
}

type Run = (script: string, more?: Readonly<Record<string, string>>) => Promise<ExecResult>;

async function runScript(context: ToolContext, script: string, options: GitOptions): Promise<ExecResult> {
  const result = await runShownGit(context, ['/bin/sh', '-c', script], options);
  if (result.exitCode === HOOK_FAILED) throw toHookError(result);
  if (result.exitCode === LOCKED) throw toLocked(result.stderr.trim().split('\n').at(-1)!);
  if (result.exitCode === 3) throw toolFailed(result.stderr.trim());
  if (result.exitCode !== 0) throw toGitError(result);
  return result;
}
