import { headOf } from '@klaus/core/cut-text';
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isSecretFile } from '@klaus/core/policy';
import { isKlausError, showName, type KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';
import { COMMIT, PREPARE, SURVEY, SURVEY_END } from './checkpoint-scripts.ts';
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
  /** Changed files that are not in the commit, because their name or content looks like a secret. */
  leftOut: string[];
  /** New files that are not in the commit, because they are large or binary. Absent without any. */
  large?: string[];
}

/** Nothing was committed. `last` is the last checkpoint of the session, if there is one. */
export interface NoCheckpoint {
  skipped: string;
  last?: Checkpoint;
}

/**
 * Commits the workspace to a private ref of the session. The user's index, HEAD and branches do not change. Ignored
 * files, secret files and files with a secret that `.klaus/secrets-allow` does not list are not committed, and neither
 * are files whose name is not UTF-8 and new files that are large or binary. The commit keeps their last committed state.
 * Its parent is the previous checkpoint of the session, else HEAD.
 *
 * @returns `skipped` with the reason when there is nothing to commit or no repository.
 * @throws KlausError `tool.failed` if Git fails.
 */
export async function createCheckpoint(
  context: CheckpointContext,
  message: string,
): Promise<Checkpoint | NoCheckpoint> {
  const result = await checkpoint(context, message, { onSecret: 'leave-out' });
  if ('secrets' in result) throw new Error('a checkpoint without secrets was blocked by a secret');
  return result;
}

/** As {@link createCheckpoint}; with `onSecret: 'block'` a secret prevents the commit. */
export async function checkpoint(
  context: CheckpointContext,
  message: string,
  { onSecret }: { onSecret: 'leave-out' | 'block' },
): Promise<Checkpoint | NoCheckpoint | { secrets: StagedSecret[] }> {
  const repository = await findRepository(context).catch((error: unknown) => {
    if (isKlausError(error) && error.code === 'tool.failed') return error;
    throw error;
  });
  if (isKlausError(repository)) return { skipped: repository.message };
  const ref = `${CHECKPOINTS}${context.session.replaceAll(/[^\w-]/g, '-')}`;
  const env = {
    KLAUS_REF: ref,
    KLAUS_MESSAGE: headOf(message, 4_000).replaceAll('\0', '') || 'Checkpoint',
    KLAUS_NAME: context.gitIdentity.name,
    KLAUS_EMAIL: context.gitIdentity.email,
  };
  const prefix = relative(repository.top, context.workspace.root);
  let choice: Choice | undefined;
  const answer = async (status: string, shown: string): Promise<string> => {
    choice = await choose(context, toChanges(status, { prefix, shown }));
    const isBlocked = onSecret === 'block' && choice.secrets.length > 0;
    if (isBlocked || choice.included.length === 0) return 'none\n';
    return `take\n${choice.included.map((path) => `${path}\0`).join('')}`;
  };
  const binds = repository.inside ? [] : toWritable(repository);
  const output = await surveyAndCommit(context, answer, { repository, env, binds });
  if (!choice) throw toolFailed('Git ended before it had listed the changes.');
  const { included, leftOut, large, secrets } = choice;
  if (onSecret === 'block' && secrets.length > 0) return { secrets };
  // Files that the user listed as secret, or that a policy denies, are hidden from Git too.
  const missed = new Set(output.split('\0').slice(1));
  leftOut.push(...included.filter((path) => missed.has(path)));
  const found = toCommit(output);
  const rest = { leftOut, ...(large.length > 0 ? { large } : {}) };
  if (found && included.length > 0 && !/^same$/m.test(output)) return { ref, ...found, ...rest };
  return { skipped: explainNothing(leftOut), ...(found ? { last: { ref, ...found, ...rest } } : {}) };
}

/**
 * Runs the survey, and commits the files in the reply. One command does both and waits for the reply.
 *
 * @returns The output after the survey.
 */
async function surveyAndCommit(
  context: CheckpointContext,
  answer: (status: string, shown: string) => Promise<string>,
  options: GitOptions,
): Promise<string> {
  const { promise: stdin, resolve, reject } = Promise.withResolvers<string>();
  // The failure is handled below. Without a reader it does not matter.
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
    const answered = isTooLong ? Promise.reject(tooMany()) : answer(status!, showName(seen));
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

/** True at the end of a survey: each name ends with a zero byte, and the last one is empty. */
function isStatusEnd(bytes: Buffer): boolean {
  return bytes.at(-1) === 0 && (bytes.length === 1 || bytes.at(-2) === 0);
}

function toStatus(survey: string): string | undefined {
  return survey.endsWith(SURVEY_END) ? survey.slice(0, -SURVEY_END.length) : undefined;
}

interface Choice {
  included: string[];
  leftOut: string[];
  large: string[];
  secrets: StagedSecret[];
}

async function choose(context: CheckpointContext, changes: ReturnType<typeof toChanges>): Promise<Choice> {
  const choice: Choice = { included: [], leftOut: [], large: [], secrets: [] };
  const allowed = await readAllowed(context);
  for (const [path, { change, shown }] of changes) {
    // A file whose name is not UTF-8 cannot be read here, so its content is unknown. A secret file is hidden from the
    // sandbox in which Git runs.
    const isHidden = change === 'deleted' && isHiddenFile(context.workspace.root, path);
    if (path.includes('\uFFFD') || isSecretFile(path) || isHidden) {
      choice.leftOut.push(shown);
      continue;
    }
    if (change === 'new' && (await isLargeOrBinary(context, path))) {
      choice.large.push(path);
      continue;
    }
    const hits = (await findSecrets(context, path)).filter(({ fingerprint }) => !allowed.has(fingerprint));
    choice.secrets.push(...hits);
    (hits.length > 0 ? choice.leftOut : choice.included).push(path);
  }
  return choice;
}

type Change = 'new' | 'changed' | 'deleted';

/**
 * The changes since the last checkpoint, by path relative to the workspace.
 *
 * @param given.shown The same status with bytes that are not UTF-8 as they are shown.
 */
function toChanges(
  status: string,
  given: { prefix: string; shown: string },
): Map<string, { change: Change; shown: string }> {
  const found = new Map<string, { change: Change; shown: string }>();
  const toPath = (entry: string) => (given.prefix === '' ? entry.slice(3) : entry.slice(4 + given.prefix.length));
  const shown = given.shown.split('\0');
  for (const [at, entry] of status.split('\0').entries()) {
    const path = toPath(entry);
    // The first letter compares with HEAD. A name that ends in a slash is a repository of its own.
    const kind = entry[1];
    if (kind === undefined || kind === ' ' || path.endsWith('/')) continue;
    const change = kind === '?' ? 'new' : kind === 'D' ? 'deleted' : 'changed';
    found.set(path, { change, shown: toPath(shown[at] ?? entry) });
  }
  return found;
}

/** Larger new files are not committed, because Git data never shrinks. Snapshots contain them. */
const MAX_NEW_BYTES = 1024 * 1024;
/** Git treats a file as binary if its first bytes contain a zero. */
const PROBE_BYTES = 8_000;

async function isLargeOrBinary({ workspace }: CheckpointContext, path: string): Promise<boolean> {
  try {
    const state = await workspace.stat(path);
    if (state?.kind !== 'file') return false;
    if (state.size > MAX_NEW_BYTES) return true;
    return Buffer.from(await workspace.read(path, { length: PROBE_BYTES })).includes(0);
  } catch (error) {
    // A link out of the workspace: Git stores only its target.
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
  return leftOut.length === 0 ? `${nothing}.` : `${nothing}, except files with secrets: ${leftOut.join(', ')}.`;
}

async function runScript(context: CheckpointContext, script: string, options: GitOptions): Promise<string> {
  const result = await runGit(context, ['/bin/sh', '-c', script], options);
  if (result.exitCode !== 0) throw toGitError(result);
  if (result.truncated) throw tooMany();
  return result.stdout;
}

function tooMany(): KlausError {
  return toolFailed('Too many files have changed for a checkpoint.');
}

/** Git data outside the workspace is bound read-only, except the folders that a commit writes. Hooks and configuration are never writable. */
function toWritable(repository: Repository): { path: string; writable: boolean }[] {
  const refs = join(repository.commonDir, 'refs/klaus');
  mkdirSync(join(refs, 'checkpoints'), { recursive: true });
  return [join(repository.commonDir, 'objects'), refs].map((path) => ({ path, writable: true }));
}

const CHUNK = 1024 * 1024;
/** Bytes that two chunks share. No secret is longer. */
const OVERLAP = 8 * 1024;

/** The secrets of a file. Stops after the first hundred. */
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
    // Deleted files have no content, and of a link Git stores only its target.
    if (isKlausError(error) && (error.code === 'tool.failed' || error.code === 'workspace.outside')) return [];
    throw error;
  }
}
