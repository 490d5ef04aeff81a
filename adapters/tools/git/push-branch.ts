import { headOf } from '@klaus/core/cut-text';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { copyForeignFileSync, isRegularFile, readForeignFileSync } from '@klaus/adapters/system';
import { z } from 'zod';
import { defineTool } from '@klaus/core/agent';
import type { ToolContext } from '@klaus/core/agent';
import { isBelow, matchesGlob, readGitSettings } from '@klaus/core/policy';
import { messageOf } from '@klaus/core/protocol';
import { toolFailed } from '../tool-failed.ts';
import { runGit, toGitError } from './git.ts';
import { findGitCredentials, toCredentialAccess, type GitCredentials } from './remote/git-credentials.ts';
import { runHostGit, withoutUser } from './remote/host-git.ts';
import { HOOK_FAILED, RUN_HOOK } from './hooks.ts';
import { findOwnRepository, type Repository } from './repository.ts';
import { toHookError } from './staging.ts';

const NAME = /^(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)))[A-Za-z0-9][\w./+@-]{0,199}$/;
/** The configuration and the programs of the user that a push uses. */
const KEPT = /^GIT_(?:SSL_|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|SSH|ASKPASS)/;

const input = z.object({
  remote: z.string(),
  /** Default: the current branch. */
  branch: z.string().optional(),
  force: z.boolean(),
  /** Patterns of branches that are never overwritten. */
  protected: z.array(z.string()),
});

const READ = `
set -eu
${RUN_HOOK}
branch=$KLAUS_BRANCH
if [ -z "$branch" ]; then branch=$(git symbolic-ref -q --short HEAD || true); fi
if [ -z "$branch" ]; then echo 'HEAD is detached: name a branch.' >&2; exit 3; fi
commit=$(git rev-parse -q --verify "refs/heads/$branch^{commit}" || true)
if [ -z "$commit" ]; then echo "There is no branch $branch." >&2; exit 3; fi
known=$(git rev-parse -q --verify "refs/remotes/$KLAUS_REMOTE/$branch^{commit}" || true)
zero=$(printf '%s' "$commit" | tr '0-9a-f' 0)
PUSHED="refs/heads/$branch $commit refs/heads/$branch \${known:-$zero}"
export PUSHED
(run_hook pre-push "$KLAUS_REMOTE" "$KLAUS_URL") || exit $?
printf '%s\\0%s\\0%s' "$branch" "$commit" "$known"
`;

/**
 * Pushes one branch. Git runs outside of the sandbox, because it needs the network and the credentials of the user, but
 * with a configuration of its own: of the repository's only the URL of the remote is used, so that no setting in the
 * workspace starts a program. The pre-push hook runs before, in the sandbox.
 */
export const pushBranch = defineTool({
  name: 'push_branch',
  description: 'Push a branch to a remote.',
  input,
  effects: ['network'],
  resume: 'tell',
  inPlace: true,
  userOnly: true,
  async prepare(options, context) {
    if (options.branch !== undefined && !NAME.test(options.branch))
      throw toolFailed(`${JSON.stringify(options.branch)} is not the name of a branch.`, {
        hint: 'It has characters with a meaning for other programs. Push it in a terminal, or rename it.',
      });
    const repository = await findOwnRepository(context);
    const url = readUrl(repository, options.remote);
    checkFolder(context, url);
    const { host, port } = toHost(url);
    const what = `${options.branch ?? 'the current branch'} to ${options.remote}`;
    return {
      title: `git push${options.force ? ' --force-with-lease' : ''} ${what}`,
      access: [
        { kind: 'net', host, port },
        { kind: 'fs', path: context.workspace.root, right: 'r' },
        ...toCredentialAccess(context, url),
      ],
    };
  },
  async run(options, context, intent) {
    const { remote, force } = options;
    const repository = await findOwnRepository(context);
    const url = readUrl(repository, remote);
    const { branch, commit, known } = await readBranch(context, { ...options, repository, url });
    if (force && options.protected.some((pattern) => matchesGlob(branch, pattern))) {
      throw toolFailed(`The branch ${branch} is protected: its commits are never overwritten.`, {
        hint: 'Push without force, or merge or rebase onto the remote branch first.',
      });
    }
    const lease = force ? [`--force-with-lease=refs/heads/${branch}:${known}`] : [];
    const words = [...lease, url, `${commit}:refs/heads/${branch}`];
    const output = await push(context, { repository, words, credentials: findGitCredentials(context, intent, url) });
    // The push has succeeded: a tracking branch that cannot be updated is only out of date.
    await runGit(context, ['git', 'update-ref', `refs/remotes/${remote}/${branch}`, commit], { repository });
    const detail = { remote, branch, commit, forced: force };
    return { text: `Pushed ${branch} (${commit.slice(0, 12)}) to ${remote}.\n${withoutUser(output)}`.trim(), detail };
  },
});

/** @throws KlausError `tool.failed` for an unknown remote, or a URL that starts a program. */
function readUrl({ commonDir, top }: Repository, remote: string): string {
  if (!NAME.test(remote)) throw toolFailed(`${JSON.stringify(headOf(remote, 100))} is not the name of a remote.`);
  const file = join(commonDir, 'config');
  const { kept } = readGitSettings(isRegularFile(file) ? readForeignFileSync(file).text : '');
  const section = kept
    .split(/^(?=\[)/m)
    .filter((text) => text.startsWith(`[remote "${remote}"]`))
    .join('');
  const read = (key: string) => new RegExp(`^\\t${key} = (.*)$`, 'im').exec(section)?.[1]?.trim();
  const url = (read('pushurl') ?? read('url'))?.replace(/^"(.*)"$/, '$1');
  if (url === undefined) throw toolFailed(`There is no remote ${remote}.`, { hint: 'Add it with git remote add.' });
  if (url.startsWith('-') || /^[\w+.-]+::/.test(url)) throw toolFailed('The URL of the remote starts a program.');
  // Git runs in another folder.
  return toHost(url).port === 0 && !url.startsWith('file://') ? resolve(top, url) : url;
}

/**
 * Git runs the hooks of a repository of this machine, and programs that its configuration names, outside of the sandbox.
 *
 * @throws KlausError `tool.failed` for one that the session can change.
 */
function checkFolder(context: ToolContext, url: string): void {
  const path = url.startsWith('file://') && URL.canParse(url) ? decodeURIComponent(new URL(url).pathname) : url;
  if (toHost(url).port !== 0 || !existsSync(path)) return;
  const real = realpathSync(path);
  const isWritable = context
    .authorities()
    .some((held) => held.kind === 'fs' && held.rights.includes('w') && isBelow(real, held.path));
  if (!isWritable) return;
  throw toolFailed('The remote is a folder that this session can change, so that its hooks cannot be trusted.', {
    hint: 'Push in a terminal.',
  });
}

/** Host `localhost` for a remote that is a folder of this machine. */
function toHost(url: string): { host: string; port: number } {
  const parsed = /^(?<scheme>https?|ssh|git):\/\//.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed) {
    const ports: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'ssh:': 22, 'git:': 9_418 };
    return { host: parsed.hostname, port: parsed.port === '' ? ports[parsed.protocol]! : Number(parsed.port) };
  }
  const [, host] = /^(?:[\w.+-]+@)?([\w.-]{2,}):(?!\/\/)/.exec(url) ?? [];
  return host === undefined ? { host: 'localhost', port: 0 } : { host, port: 22 };
}

async function readBranch(
  context: ToolContext,
  given: { repository: Repository; url: string; remote: string; branch?: string },
): Promise<{ branch: string; commit: string; known: string }> {
  const { repository, url, remote, branch = '' } = given;
  const result = await runGit(context, ['/bin/sh', '-c', READ], {
    repository,
    env: { KLAUS_BRANCH: branch, KLAUS_REMOTE: remote, KLAUS_URL: withoutUser(url) },
  });
  if (result.exitCode === HOOK_FAILED) throw toolFailed(toHookError(result).message.replace('committed', 'pushed'));
  if (result.exitCode === 3) throw toolFailed(result.stderr.trim());
  if (result.exitCode !== 0) throw toGitError(result);
  const [name = '', commit = '', known = ''] = result.stdout.split('\0');
  return { branch: name, commit, known };
}

/** Runs Git in a repository of its own that shares the objects. @throws KlausError `tool.failed` with Git's message. */
async function push(
  { signal }: ToolContext,
  { repository, words, credentials }: { repository: Repository; words: readonly string[]; credentials: GitCredentials },
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-push-'));
  const run = async (args: readonly string[], more: Record<string, string> = {}): Promise<string> => {
    const own = { folder, kept: KEPT, options: credentials.options, env: { ...credentials.env, ...more }, signal };
    return await runHostGit(args, own).catch((error: unknown) => {
      throw toolFailed(`Not pushed: ${messageOf(error)}`);
    });
  };
  try {
    await run(['init', '-q', '--bare', '.']);
    const shallow = join(repository.commonDir, 'shallow');
    if (isRegularFile(shallow)) copyForeignFileSync(shallow, join(folder, 'shallow'));
    const objects = { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(repository.commonDir, 'objects')) };
    return await run(['push', '--porcelain', '--no-verify', ...words], objects);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
