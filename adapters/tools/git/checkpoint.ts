import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isSecretFile } from '@klaus/core/policy';
import { isKlausError, KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { CHECKPOINTS } from './expire-checkpoints.ts';
import { KEEP_BYTES, runGit, toGitError, type GitOptions } from './git.ts';
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
  /** New files that are not in the commit because they are large or binary. Absent where there are none. */
  large?: string[];
}

/** What every script begins with: an index of its own, with the last checkpoint or HEAD in it. */
const PREPARE = `
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# The user's index knows which files have not changed, which saves reading them all. Its time is kept: by it Git
# tells a file that changed in the very second in which the index was written.
if [ -f "$GIT_DIR/index" ]; then cp -p "$GIT_DIR/index" "$tmp/index"; fi
export GIT_INDEX_FILE="$tmp/index"
head=$(git rev-parse -q --verify 'HEAD^{commit}' || true)
previous=$(git rev-parse -q --verify "$KLAUS_REF^{commit}" || true)
base=\${previous:-$head}
if [ -z "$base" ]; then git read-tree --empty
else
  git diff-index --cached -z --name-only "$base" -- >"$tmp/other"
  if [ -s "$tmp/other" ]; then
    # Few entries are exchanged one by one, which is faster than to read all trees.
    if [ "$(tr -cd '\\0' <"$tmp/other" | wc -c)" -gt 500 ]; then git read-tree --reset "$base"
    else
      (cd "$(git rev-parse --show-toplevel)" &&
        git restore --staged --source="$base" --pathspec-from-file="$tmp/other" --pathspec-file-nul)
    fi
  fi
fi
`;

/** Ends with an empty name: all changes have been listed. */
const SURVEY = `
git status --porcelain=v1 -z --untracked-files=all --no-renames --ignore-submodules=all -- .
printf '\\0'
`;
const SURVEY_END = '\0';

/** Reads the answer to the survey: a line with \`none\`, or \`take\` and then the paths to commit. */
const COMMIT = `
# The changes of a commit against HEAD are counted. Names with a line end are quoted, so a name is a line.
report() {
  echo "commit $1 $(git diff-tree -r --name-only "\${head:-$(git hash-object -t tree /dev/null)}" "$1" | wc -l)"
}
keep() {
  if [ -n "$previous" ]; then report "$previous"; fi
  exit 0
}
read -r answer
if [ "$answer" != take ]; then keep; fi
# Exit code 1 means that single files could not be read.
failed=
git add -A --ignore-errors --pathspec-from-file=- --pathspec-file-nul || { [ $? -eq 1 ] && failed=yes; }
# After an empty name: what was not taken.
if [ -n "$failed" ]; then
  printf '\\0'
  git update-index -q --refresh >/dev/null || true
  git diff-files -z --name-only --relative --ignore-submodules=all -- .
  git ls-files -z --others --exclude-standard -- .
  echo
fi
tree=$(git write-tree)
if [ -n "$base" ] && [ "$tree" = "$(git rev-parse "$base^{tree}")" ]; then echo same; keep; fi
name=$(git config user.name || true)
email=$(git config user.email || true)
export GIT_AUTHOR_NAME="\${name:-$KLAUS_NAME}" GIT_AUTHOR_EMAIL="\${email:-$KLAUS_EMAIL}"
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
commit=$(git commit-tree --no-gpg-sign \${base:+-p "$base"} -m "$KLAUS_MESSAGE" "$tree")
git update-ref "$KLAUS_REF" "$commit" "\${previous:-$(printf '%s' "$commit" | tr '0-9a-f' 0)}"
report "$commit"
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
 * name is no UTF-8. New files that are large or binary stay out too. The parent is the session's previous checkpoint, else HEAD.
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
  const ref = `${CHECKPOINTS}${context.session.replaceAll(/[^\w-]/g, '-')}`;
  const env = {
    KLAUS_REF: ref,
    KLAUS_MESSAGE: message.slice(0, 4_000).replaceAll('\0', '').toWellFormed() || 'Checkpoint',
    KLAUS_NAME: context.gitIdentity.name,
    KLAUS_EMAIL: context.gitIdentity.email,
  };
  const prefix = relative(repository.top, context.workspace.root);
  let choice: Choice | undefined;
  const answer = async (status: string): Promise<string> => {
    choice = await choose(context, toChanges(status, { prefix }));
    const isBlocked = onSecret === 'block' && choice.secrets.length > 0;
    if (isBlocked || choice.kept.length === 0) return 'none\n';
    return `take\n${choice.kept.map((path) => `${path}\0`).join('')}`;
  };
  const binds = repository.inside ? [] : toWritable(repository);
  const output = await converse(context, answer, { repository, env, binds });
  if (!choice) throw new KlausError('tool.failed', 'Git ended before it had listed the changes.');
  const { kept, leftOut, large, secrets } = choice;
  if (onSecret === 'block' && secrets.length > 0) return { secrets };
  // What the user listed as secret, or a policy denies reading, is hidden too.
  const missed = new Set(output.split('\0').slice(1));
  leftOut.push(...kept.filter((path) => missed.has(path)));
  const found = toCommit(output);
  const rest = { leftOut, ...(large.length > 0 ? { large } : {}) };
  if (found && kept.length > 0 && !/^same$/m.test(output)) return { ref, ...found, ...rest };
  return { skipped: explainNothing(leftOut), ...(found ? { standing: { ref, ...found, ...rest } } : {}) };
}

/**
 * Runs the survey, has it answered, and commits what the answer names: by one command that waits for the answer, where
 * input can be given while it runs.
 *
 * @returns What was written after the survey.
 */
async function converse(
  context: CheckpointContext,
  answer: (status: string) => Promise<string>,
  options: GitOptions,
): Promise<string> {
  if (context.sandbox.name === 'docker') {
    const survey = await runScript(context, PREPARE + SURVEY, options);
    return runScript(context, PREPARE + COMMIT, { ...options, stdin: await answer(toStatus(survey) ?? '') });
  }
  const { promise: stdin, resolve, reject } = Promise.withResolvers<string>();
  // Handled below, and where nothing reads it any more it does not matter.
  stdin.catch(() => {});
  let seen = Buffer.alloc(0);
  let isAnswered = false;
  let failure: { error: unknown } | undefined;
  const onOutput: GitOptions['onOutput'] = (chunk, stream) => {
    if (stream !== 'stdout' || isAnswered) return;
    seen = Buffer.concat([seen, chunk]);
    const isTooLong = seen.length > KEEP_BYTES;
    const status = isStatusEnd(seen) ? toStatus(seen.toString('utf8')) : undefined;
    if (status === undefined && !isTooLong) return;
    isAnswered = true;
    const answered = isTooLong ? Promise.reject(tooMany()) : answer(status!);
    answered.then(resolve, (error: unknown) => {
      failure = { error };
      reject(error);
    });
  };
  try {
    const output = await runScript(context, PREPARE + SURVEY + COMMIT, { ...options, stdin, onOutput });
    return output.slice(seen.toString('utf8').length);
  } catch (error) {
    throw failure ? failure.error : error;
  }
}

/** True when a survey ends here: each name ends with a zero byte, and the last one is empty. */
function isStatusEnd(bytes: Buffer): boolean {
  return bytes.at(-1) === 0 && (bytes.length === 1 || bytes.at(-2) === 0);
}

/** The names of a survey that has ended. */
function toStatus(survey: string): string | undefined {
  return survey.endsWith(SURVEY_END) ? survey.slice(0, -SURVEY_END.length) : undefined;
}

/** What of the changes is committed. */
interface Choice {
  kept: string[];
  leftOut: string[];
  large: string[];
  secrets: StagedSecret[];
}

async function choose(context: CheckpointContext, changes: ReadonlyMap<string, Change>): Promise<Choice> {
  const choice: Choice = { kept: [], leftOut: [], large: [], secrets: [] };
  const allowed = await readAllowed(context);
  for (const [path, change] of changes) {
    // A name that is no UTF-8 cannot be read here, so nobody knows what its file holds. A secret file is hidden
    // from the sandbox in which Git runs.
    const isHidden = change === 'deleted' && isHiddenFile(context.workspace.root, path);
    if (path.includes('\uFFFD') || isSecretFile(path) || isHidden) {
      choice.leftOut.push(path);
      continue;
    }
    if (change === 'new' && (await isLargeOrBinary(context, path))) {
      choice.large.push(path);
      continue;
    }
    const hits = (await findSecrets(context, path)).filter(({ fingerprint }) => !allowed.has(fingerprint));
    choice.secrets.push(...hits);
    (hits.length > 0 ? choice.leftOut : choice.kept).push(path);
  }
  return choice;
}

type Change = 'new' | 'changed' | 'deleted';

/** What differs from the last checkpoint, by path relative to the workspace. */
function toChanges(status: string, { prefix }: { prefix: string }): Map<string, Change> {
  const found = new Map<string, Change>();
  for (const entry of status.split('\0')) {
    const path = prefix === '' ? entry.slice(3) : entry.slice(4 + prefix.length);
    // The first letter compares with HEAD. A name that ends in a slash is a repository of its own.
    const kind = entry[1];
    if (kind === undefined || kind === ' ' || path.endsWith('/')) continue;
    found.set(path, kind === '?' ? 'new' : kind === 'D' ? 'deleted' : 'changed');
  }
  return found;
}

/** Larger files that Git does not know yet stay out of its data, which never shrinks again. Snapshots have them. */
const MAX_NEW_BYTES = 1024 * 1024;
/** Git takes a file for binary by a zero in this many bytes. */
const PROBE_BYTES = 8_000;

async function isLargeOrBinary({ workspace }: CheckpointContext, path: string): Promise<boolean> {
  try {
    const state = await workspace.stat(path);
    if (state?.kind !== 'file') return false;
    if (state.size > MAX_NEW_BYTES) return true;
    return Buffer.from(await workspace.read(path, { length: PROBE_BYTES })).includes(0);
  } catch (error) {
    // A link that leads out: of it Git keeps only where it points to.
    if (isKlausError(error) && (error.code === 'tool.failed' || error.code === 'workspace.outside')) return false;
    throw error;
  }
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
  if (result.truncated) throw tooMany();
  return result.stdout;
}

function tooMany(): KlausError {
  return new KlausError('tool.failed', 'Too many files have changed for a checkpoint.');
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
