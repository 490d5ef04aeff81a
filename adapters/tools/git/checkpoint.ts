import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSecretFile } from '@klaus/core/policy';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { runGit, toGitError, type GitOptions } from './git.ts';
import { isHiddenFile } from './hidden-file.ts';
import { findRepository, type Repository } from './repository.ts';
import { readAllowed, type StagedSecret } from './staged-secrets.ts';

export type CheckpointContext = Pick<
  ToolContext,
  'workspace' | 'sandbox' | 'signal' | 'session' | 'gitIdentity' | 'findSecrets'
>;

export interface Checkpoint {
  /** `refs/klaus/checkpoints/<session>`. */
  ref: string;
  commit: string;
  /** Files that differ from HEAD. */
  files: number;
  /** Files that changed and are not in the commit, because their name or content is that of a secret. */
  leftOut: string[];
}

/** What both scripts begin with: an index of their own, with the last checkpoint or HEAD in it. */
const PREPARE = `
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
index=$(git rev-parse --git-path index)
# The user's index knows which files have not changed, which saves reading them all. Its time is kept: by it Git
# tells a file that changed in the very second in which the index was written.
if [ -f "$index" ]; then cp -p "$index" "$tmp/index"; fi
export GIT_INDEX_FILE="$tmp/index"
head=$(git rev-parse -q --verify 'HEAD^{commit}' || true)
previous=$(git rev-parse -q --verify "$KLAUS_REF^{commit}" || true)
base=\${previous:-$head}
if [ -n "$base" ]; then git read-tree --reset "$base"; else git read-tree --empty; fi
git update-index -q --refresh >/dev/null || true
`;

const SURVEY = `${PREPARE}
git diff-files -z --name-only --relative --ignore-submodules=all -- .
git ls-files -z --others --exclude-standard -- .
# An empty name, then those that are not there.
printf '\\0'
git ls-files -z --deleted -- .
`;

const COMMIT = `${PREPARE}
# Exit code 1 means that single files could not be read.
failed=
git add -A --ignore-errors --pathspec-from-file=- --pathspec-file-nul || { [ $? -eq 1 ] && failed=yes; }
# After an empty name: what was not taken.
if [ -n "$failed" ]; then
  printf '\\0'
  git diff-files -z --name-only --relative --ignore-submodules=all -- .
  git ls-files -z --others --exclude-standard -- .
  echo
fi
tree=$(git write-tree)
if [ -n "$base" ] && [ "$tree" = "$(git rev-parse "$base^{tree}")" ]; then echo same; exit 0; fi
name=$(git config user.name || true)
email=$(git config user.email || true)
export GIT_AUTHOR_NAME="\${name:-$KLAUS_NAME}" GIT_AUTHOR_EMAIL="\${email:-$KLAUS_EMAIL}"
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
commit=$(git commit-tree --no-gpg-sign \${base:+-p "$base"} -m "$KLAUS_MESSAGE" "$tree")
git update-ref "$KLAUS_REF" "$commit" "\${previous:-$(printf '%s' "$commit" | tr '0-9a-f' 0)}"
from=\${head:-$(git hash-object -t tree /dev/null)}
echo "commit $commit $(git diff-tree -r -z --name-only "$from" "$tree" | tr -cd '\\0' | wc -c)"
`;

/** The checkpoint that stands, with how many files it changes against HEAD. */
const STANDING = `
set -eu
previous=$(git rev-parse -q --verify "$KLAUS_REF^{commit}" || true)
if [ -z "$previous" ]; then exit 0; fi
head=$(git rev-parse -q --verify 'HEAD^{commit}' || true)
from=\${head:-$(git hash-object -t tree /dev/null)}
echo "commit $previous $(git diff-tree -r -z --name-only "$from" "$previous" | tr -cd '\\0' | wc -c)"
`;

export interface CheckpointOptions {
  /** What a file that looks like it holds a secret does: it is left out (default), or nothing is committed at all. */
  onSecret?: 'leave-out' | 'block';
}

/** Nothing was committed, because of these. */
export interface BlockedCheckpoint {
  secrets: StagedSecret[];
}

/** Nothing was committed, and why. `standing` is the session's last checkpoint, where there is one. */
export interface NoCheckpoint {
  skipped: string;
  standing?: Checkpoint;
}

/**
 * Commits the workspace as it is to a ref of the session's own. The user's index, HEAD and branches stay as
 * they are; ignored files stay out, and so do secret files by name and files whose new content looks like a secret
 * that `.klaus/secrets-allow` does not name: the last committed state of those is kept, as it is of files whose
 * name is no UTF-8. The parent is the session's previous checkpoint, else HEAD.
 *
 * @returns `skipped` with the reason when there is nothing to commit or no repository.
 * @throws KlausError `tool.failed` when Git fails.
 */
export async function createCheckpoint(
  context: CheckpointContext,
  message: string,
): Promise<Checkpoint | NoCheckpoint> {
  const made = await checkpoint(context, message, { onSecret: 'leave-out' });
  if ('secrets' in made) throw new Error('a checkpoint that leaves secrets out was blocked by one');
  return made;
}

/** As {@link createCheckpoint}; with `onSecret: 'block'` a finding stands in the way of the whole commit. */
export async function checkpoint(
  context: CheckpointContext,
  message: string,
  { onSecret = 'leave-out' }: CheckpointOptions,
): Promise<Checkpoint | NoCheckpoint | BlockedCheckpoint> {
  const repository = await findRepository(context).catch((error: unknown) => {
    if (isKlausError(error) && error.code === 'tool.failed') return error;
    throw error;
  });
  if (isKlausError(repository)) return { skipped: repository.message };
  const ref = `refs/klaus/checkpoints/${context.session.replaceAll(/[^\w-]/g, '-')}`;
  const env = {
    KLAUS_REF: ref,
    KLAUS_MESSAGE: message.slice(0, 4_000).replaceAll('\0', '').toWellFormed() || 'Checkpoint',
    KLAUS_NAME: context.gitIdentity.name,
    KLAUS_EMAIL: context.gitIdentity.email,
  };
  const survey = (await runScript(context, SURVEY, { repository, env })).split('\0');
  const changed = survey.slice(0, survey.indexOf(''));
  const deleted = new Set(survey.slice(changed.length));
  // A name that ends in a slash is a repository of its own, which is left to itself.
  const paths = [...new Set(changed)].filter((path) => path !== '' && !path.endsWith('/'));
  const leftOut: string[] = [];
  const secrets: StagedSecret[] = [];
  const allowed = await readAllowed(context);
  for (const path of paths) {
    // A name that is no UTF-8 cannot be read here, so nobody knows what its file holds. A secret file is hidden
    // from the sandbox in which Git runs.
    const isHidden = deleted.has(path) && isHiddenFile(context.workspace.root, path);
    if (path.includes('\uFFFD') || isSecretFile(path) || isHidden) {
      leftOut.push(path);
      continue;
    }
    const found = await findSecrets(context, path);
    const hits = found.filter(({ fingerprint }) => !allowed.has(fingerprint));
    secrets.push(...hits);
    if (hits.length > 0) leftOut.push(path);
  }
  if (onSecret === 'block' && secrets.length > 0) return { secrets };
  const out = new Set(leftOut);
  const kept = paths.filter((path) => !out.has(path));
  const skip = async (): Promise<NoCheckpoint> => {
    const found = toCommit(await runScript(context, STANDING, { repository, env }));
    return { skipped: explainNothing(leftOut), ...(found ? { standing: { ref, ...found, leftOut } } : {}) };
  };
  if (kept.length === 0) return skip();
  const binds = repository.inside ? [] : toWritable(repository);
  const output = await runScript(context, COMMIT, {
    repository,
    env,
    binds,
    stdin: kept.map((path) => `${path}\0`).join(''),
  });
  // What the user listed as secret, or a policy denies reading, is hidden too.
  const missed = new Set(output.split('\0').slice(1));
  leftOut.push(...kept.filter((path) => missed.has(path)));
  const made = toCommit(output);
  return made ? { ref, ...made, leftOut } : skip();
}

function toCommit(output: string): { commit: string; files: number } | undefined {
  const [, commit, files] = /^commit ([0-9a-f]+) +(\d+)$/m.exec(output) ?? [];
  return commit === undefined ? undefined : { commit, files: Number(files) };
}

function explainNothing(leftOut: readonly string[]): string {
  const nothing = 'Nothing has changed since the last checkpoint or commit';
  return leftOut.length === 0 ? `${nothing}.` : `${nothing}, except files that hold secrets: ${leftOut.join(', ')}.`;
}

async function runScript(context: CheckpointContext, script: string, options: GitOptions): Promise<string> {
  const result = await runGit(context, ['/bin/sh', '-c', script], options);
  if (result.exitCode !== 0) throw toGitError(result);
  if (result.truncated) throw new KlausError('tool.failed', 'Too many files have changed for a checkpoint.');
  return result.stdout;
}

/** Git data outside the workspace is bound read-only but for what a commit on our ref needs: never hooks or configuration. */
function toWritable(repository: Repository): { path: string; writable: boolean }[] {
  const refs = join(repository.commonDir, 'refs/klaus');
  mkdirSync(join(refs, 'checkpoints'), { recursive: true });
  return [join(repository.commonDir, 'objects'), refs].map((path) => ({ path, writable: true }));
}

const CHUNK = 1024 * 1024;
/** No secret is longer than what two pieces have in common. */
const OVERLAP = 8 * 1024;

/** What one file of the workspace holds; of a file without an end the first findings will do. */
async function findSecrets(context: CheckpointContext, path: string): Promise<StagedSecret[]> {
  const found = new Map<string, StagedSecret>();
  let linesBefore = 0;
  try {
    for (let offset = 0; ; offset += CHUNK - OVERLAP) {
      const bytes = Buffer.from(await context.workspace.read(path, { offset, length: CHUNK }));
      for (const hit of context.findSecrets(bytes.toString('utf8'), { path })) {
        const line = hit.line + linesBefore;
        const key = `${hit.fingerprint} ${line}`;
        if (!found.has(key)) found.set(key, { ...hit, path, line });
      }
      if (bytes.length < CHUNK || found.size > 100) return [...found.values()];
      for (const unit of bytes.subarray(0, CHUNK - OVERLAP)) if (unit === 10) linesBefore++;
    }
  } catch (error) {
    // Deleted files have no content, and of a link Git keeps only the name it points to.
    if (isKlausError(error) && (error.code === 'tool.failed' || error.code === 'workspace.outside')) return [];
    throw error;
  }
}
