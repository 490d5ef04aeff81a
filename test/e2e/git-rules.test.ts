// Covers adapters/tools/git/commits: the rules of git that a commit keeps or names.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools, createUserGit } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext } from '../fixtures/tool-context.ts';

const has = (program: string) => spawnSync('/bin/sh', ['-c', `command -v ${program}`]).status === 0;

let place: TestHome;
let user: Record<string, string>;

beforeEach(() => {
  place = createTestHome({ 'a.txt': 'one\n' });
  const home = join(place.workspace, '..', 'user');
  mkdirSync(home, { recursive: true });
  user = { PATH: process.env['PATH']!, HOME: home, GNUPGHOME: join(home, 'gnupg'), GIT_CONFIG_NOSYSTEM: '1' };
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'user.name=Other', '-c', 'user.email=other@localhost', 'commit', '-q', '--allow-empty', '-m', 'First');
  writeFileSync(join(place.workspace, 'a.txt'), 'two\n');
});
afterEach(() => place[Symbol.dispose]());

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: place.workspace, env: user, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();
const configure = (key: string, value: string) => git('config', '--global', key, value);

async function commit(input: Record<string, unknown> = {}, { signs = false } = {}) {
  const sandbox = await createSandbox({ workspace: place.workspace, home: place.home, env: user });
  const context = {
    ...createToolContext({ workspace: await createWorkspace(place.workspace), sandbox }),
    gitIdentity: { name: 'Klaus', email: 'klaus@localhost' },
    userGit: createUserGit(user, { signs }),
  };
  return callTool(builtinTools, 'git_commit', { input: { message: 'Change', all: true, ...input }, context });
}

describe('the lock of the index', () => {
  test.each([{ all: true }, { all: false, paths: ['a.txt'] }])(
    'of another program stops a commit: %j',
    async (input) => {
      const lock = join(place.workspace, '.git/index.lock');
      writeFileSync(lock, '');
      const head = git('rev-parse', 'HEAD');
      await expect(commit(input)).rejects.toMatchObject({
        code: 'tool.failed',
        message: expect.stringContaining('index.lock'),
      });
      expect(git('rev-parse', 'HEAD')).toBe(head);
      expect(existsSync(lock)).toBe(true);
      rmSync(lock);
      await commit(input);
      expect(existsSync(lock)).toBe(false);
      expect(git('status', '--porcelain')).toBe('');
      git('-c', 'user.name=O', '-c', 'user.email=o@localhost', 'commit', '-q', '--allow-empty', '-m', 'next');
      expect(git('show', 'HEAD:a.txt')).toBe('two');
    },
  );

  test('of a program that a hook starts stops it too, and is left', async () => {
    const hook = join(place.workspace, '.git/hooks/commit-msg');
    mkdirSync(join(place.workspace, '.git/hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\n: >.git/index.lock\n', { mode: 0o755 });
    const head = git('rev-parse', 'HEAD');
    await expect(commit()).rejects.toMatchObject({ message: expect.stringContaining('index.lock') });
    expect(git('rev-parse', 'HEAD')).toBe(head);
  });
});

describe('the identity', () => {
  test('is that of the user, if the repository has none', async () => {
    configure('user.name', 'User');
    configure('user.email', 'user@localhost');
    const { text } = await commit();
    expect(git('log', '-1', '--format=%an <%ae> %cn')).toBe('User <user@localhost> User');
    expect(text).not.toContain('identity');
  });

  test('is named if it is invented', async () => {
    expect((await commit()).text).toContain('Klaus <klaus@localhost>');
  });

  test.each(['--global', '--local'])('is not invented with user.useConfigOnly (%s)', async (scope) => {
    git('config', scope, 'user.useConfigOnly', 'true');
    await expect(commit()).rejects.toMatchObject({ message: expect.stringContaining('user.useConfigOnly') });
    expect(git('log', '-1', '--format=%s')).toBe('First');
    configure('user.email', 'user@localhost');
    configure('user.name', 'User');
    await commit();
    expect(git('log', '-1', '--format=%ae')).toBe('user@localhost');
  });
});

test('the hooks of a core.hooksPath of the user are named, because they do not run', async () => {
  configure('core.hooksPath', '/home/me/hooks');
  expect((await commit()).text).toContain('/home/me/hooks');
});

describe('signatures', () => {
  beforeEach(() => {
    configure('user.name', 'User');
    configure('user.email', 'user@localhost');
  });

  test.each(['--global', '--local'])('that are wanted and not allowed are named (%s)', async (scope) => {
    git('config', scope, 'commit.gpgSign', 'true');
    expect((await commit()).text).toMatch(/Not signed.*git\.sign/);
    expect(git('log', '-1', '--format=%G?')).toBe('N');
  });

  test('that are not wanted are not made', async () => {
    configure('commit.gpgSign', 'true');
    git('config', '--local', 'commit.gpgSign', 'false');
    expect((await commit({}, { signs: true })).text).not.toContain('igned');
    expect(git('cat-file', 'commit', 'HEAD')).not.toContain('gpgsig');
  });

  test.skipIf(!has('ssh-keygen'))('are made by ssh-keygen, with the key of the user', async () => {
    const key = join(user['HOME']!, 'id');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    configure('gpg.format', 'ssh');
    configure('user.signingKey', '~/id');
    configure('commit.gpgSign', 'true');
    const signers = join(user['HOME']!, 'signers');
    writeFileSync(signers, `user@localhost ${readFileSync(`${key}.pub`, 'utf8')}`);
    configure('gpg.ssh.allowedSignersFile', signers);
    const { text } = await commit({}, { signs: true });
    expect(text).not.toContain('Not signed');
    expect(git('log', '-1', '--format=%G? %s %an')).toBe('G Change User');
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(git('status', '--porcelain')).toBe('');
  });

  test.skipIf(!has('gpg'))('are made by gpg', async () => {
    mkdirSync(user['GNUPGHOME']!, { mode: 0o700 });
    const options = { env: user, stdio: 'ignore' } as const;
    execFileSync('gpg', ['--batch', '--passphrase', '', '--quick-generate-key', 'User <user@localhost>'], options);
    configure('commit.gpgSign', 'true');
    const { text } = await commit({ message: 'Größe\n\nwith a body' }, { signs: true });
    expect(text).not.toContain('Not signed');
    expect(git('log', '-1', '--format=%G?')).toMatch(/^[GU]$/);
    execFileSync('gpgconf', ['--kill', 'all'], options);
  });

  test('use no program and no key of the repository', async () => {
    const planted = join(place.workspace, 'sign.sh');
    writeFileSync(planted, `#!/bin/sh\ntouch '${user['HOME']}/planted'\n`, { mode: 0o755 });
    for (const key of ['gpg.program', 'gpg.openpgp.program', 'gpg.ssh.program']) git('config', '--local', key, planted);
    git('config', '--local', 'gpg.format', 'ssh');
    git('config', '--local', 'commit.gpgSign', 'true');
    configure('gpg.program', '/nonexistent/gpg');
    const { text } = await commit({}, { signs: true });
    expect(text).toMatch(/Not signed.*\/nonexistent\/gpg/);
    expect(existsSync(join(user['HOME']!, 'planted'))).toBe(false);
    expect(git('log', '-1', '--format=%s')).toBe('Change');
  });

  test('of a file that commands may write are not read', async () => {
    const included = join(place.workspace, 'user.inc');
    const planted = join(place.workspace, 'sign.sh');
    writeFileSync(planted, `#!/bin/sh\ntouch '${user['HOME']}/planted'\n`, { mode: 0o755 });
    writeFileSync(
      included,
      `[gpg]\nprogram = ${planted}\n[user]\nname = Planted\n[core]\nexcludesFile = ${user['HOME']}/secret\n`,
    );
    writeFileSync(join(user['HOME']!, 'secret'), 'the-secret\n');
    configure('include.path', included);
    configure('commit.gpgSign', 'true');
    configure('gpg.program', '/nonexistent/gpg');
    git('config', '--global', '--add', 'include.path', included);
    const { text } = await commit({}, { signs: true });
    expect(text).toMatch(/Not signed.*\/nonexistent\/gpg/);
    expect(existsSync(join(user['HOME']!, 'planted'))).toBe(false);
    expect(git('log', '-1', '--format=%an')).toBe('User');
    const sandbox = await createSandbox({ workspace: place.workspace, home: place.home, env: user });
    expect((await sandbox.exec({ command: 'cat /etc/gitignore /etc/gitconfig' })).output).not.toMatch(/secret|Planted/);
  });
});
