import { headOf, tailOf } from '@klaus/core/cut-text';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { parseAuthority } from '@klaus/core/policy';
import { type Access, quoteShellWord } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { findGitCredentials, toCredentialAccess } from '../git/remote/git-credentials.ts';
import { runHostGit } from '../git/remote/host-git.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { checkWord } from '../shell/quote.ts';
import { toRequestedLimits } from '../shell/run-program.ts';
import { toolFailed } from '../tool-failed.ts';

const BRANCH = /^(?!.*(?:\.\.|@\{|\/\/|\.lock(?:\/|$)))[A-Za-z0-9][\w./+@-]{0,199}$/;

const input = z.object({
  url: z.string().max(2_000).describe('https only'),
  path: z.string().optional().describe('new folder of the workspace; default: the name of the repository'),
  branch: z.string().optional(),
  depth: z.int().min(1).max(100_000).optional(),
  timeoutMs: z.number().min(1).optional(),
});
type Input = z.infer<typeof input>;

/** Git's configuration of the user and of the machine is not used: it could name programs, credentials and proxies. */
const PLAIN = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  // Else a program of the user is asked for a password.
  GIT_ASKPASS: '',
  NO_PROXY: '',
  no_proxy: '',
};

/** Copies a repository from $1 into the new folder $2, and checks its files out. */
const COPY = `
set -eu
if [ -e "$2" ]; then echo "$2 exists." >&2; exit 3; fi
mkdir -p "$2"
cp -R "$1" "$2/.git"
chmod -R u+w "$2/.git"
cd "$2"
git -c core.hooksPath=/dev/null reset -q --hard
git log -1 --format='%H %s'
`;

/**
 * Clones in two steps. Git downloads outside of the sandbox, with a configuration of its own, into a folder that no
 * sandbox can write, through a proxy that reaches only the decided host. The copy into the workspace and the checkout run
 * in the sandbox, without a network. So the credentials of the server are never in a sandbox.
 */
export const gitClone = defineBuiltinTool({
  name: 'git_clone',
  description: 'Clone a Git repository over HTTPS into a new folder of the workspace.',
  input,
  deferred: true,
  effects: ['network', 'execute', 'write'],
  origin: 'channel',
  resume: 'tell',
  inPlace: true,
  example: { isOnline: true, input: { url: 'https://github.com/octocat/Hello-World' }, output: 'Cloned' },
  async prepare(options, context) {
    const { url, host, port, path } = await check(options, context);
    const command = `git clone ${quoteShellWord(url)} ${quoteShellWord(path)}`;
    const access: Access[] = [
      { kind: 'exec', command },
      { kind: 'net', host, port },
      { kind: 'fs', path: (await context.workspace.resolve(path)).absolute, right: 'w' },
      ...toCredentialAccess(context, url),
    ];
    return { title: command, access, command };
  },
  async run(options, context, intent) {
    const { url, path } = await check(options, context);
    const { timeoutMs } = toRequestedLimits({ timeoutMs: options.timeoutMs }, context.execLimits);
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)]);
    const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'klaus-clone-')));
    try {
      using proxy = await context.proxy(intent);
      const credentials = findGitCredentials(context, intent, url);
      await download({ ...options, url }, { folder, signal, proxy: proxy.url, credentials });
      const { absolute } = await context.workspace.resolve(path);
      const result = await context.sandbox.exec({
        command: ['/bin/sh', '-c', COPY, 'sh', folder, absolute],
        binds: [{ path: folder, writable: false }],
        signal: context.signal,
      });
      if (!isSuccess(result))
        throw toolFailed(
          `Not cloned: ${[tailOf(result.output.trim(), 2_000), ...describeEnd(result, timeoutMs)].join('\n')}`,
        );
      const [commit = ''] = result.stdout.split(' ');
      return { text: `Cloned ${url} into ${path}: ${result.stdout.trim()}`, detail: { path, commit } };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

/** @throws KlausError `tool.failed` for an address, a branch or a folder that cannot be used. */
async function check({ url: text, path, branch }: Input, { workspace }: ToolContext) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const given =
    url?.protocol === 'https:' && url.username === '' && url.password === '' ? parseAuthority(url.host) : undefined;
  if (!url || !given) throw toolFailed('The address must be https, without a name and password.');
  if (branch !== undefined && !BRANCH.test(branch))
    throw toolFailed(`${JSON.stringify(headOf(branch, 200))} is not a branch.`);
  const name =
    url.pathname
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split('/')
      .at(-1) ?? '';
  const folder = checkWord('path', path ?? name);
  if (folder === '' || folder === '.' || folder.split('/').includes('.git'))
    throw toolFailed('Name a new folder in `path`.');
  if (await workspace.stat(folder)) throw toolFailed(`${folder} exists.`, { hint: 'Name a new folder in `path`.' });
  url.hash = '';
  return { url: url.href, host: given.host, port: given.port ?? 443, path: folder };
}

interface Download {
  folder: string;
  signal: AbortSignal;
  proxy: string;
  credentials: { options: readonly string[]; env: Readonly<Record<string, string>> };
}

async function download(
  { url, branch, depth }: Input,
  { folder, signal, proxy, credentials }: Download,
): Promise<void> {
  const settings = {
    'http.proxy': proxy,
    'protocol.allow': 'never',
    'protocol.https.allow': 'always',
    'fetch.fsckObjects': 'true',
    'gc.auto': '0',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const env = { ...PLAIN, HOME: folder };
  const run = (args: readonly string[]) => runHostGit(args, { folder, env, signal });
  const reach = (args: readonly string[]) =>
    runHostGit(args, {
      folder,
      options: [...options, ...credentials.options],
      env: { ...env, ...credentials.env },
      signal,
    });
  await run(['init', '-q', '--bare', '.']);
  await run(['remote', 'add', 'origin', url]);
  const head = branch ?? (await findHead(reach));
  const refs = depth === undefined ? '*' : head;
  const shallow = depth === undefined ? [] : [`--depth=${depth}`];
  await reach([
    'fetch',
    '-q',
    '--no-recurse-submodules',
    ...shallow,
    'origin',
    `+refs/heads/${refs}:refs/remotes/origin/${refs}`,
  ]);
  await run(['update-ref', `refs/heads/${head}`, `refs/remotes/origin/${head}`]);
  await run(['symbolic-ref', 'HEAD', `refs/heads/${head}`]);
  await run(['config', `branch.${head}.remote`, 'origin']);
  await run(['config', `branch.${head}.merge`, `refs/heads/${head}`]);
  await run(['config', 'core.bare', 'false']);
  rmSync(join(folder, 'hooks'), { recursive: true, force: true });
}

/** The default branch of the server. */
async function findHead(reach: (args: readonly string[]) => Promise<string>): Promise<string> {
  const found = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(await reach(['ls-remote', '--symref', 'origin', 'HEAD']))?.[1];
  if (found === undefined || !BRANCH.test(found))
    throw toolFailed('The server names no default branch.', { hint: 'Name one in `branch`.' });
  return found;
}
