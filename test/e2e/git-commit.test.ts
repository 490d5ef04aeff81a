// Covers adapters/tools/git: git_commit and secrets in commits.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { callTool, createToolContext, type TestContext } from '../fixtures/tool-context.ts';

let place: TestHome;
let context: TestContext;

const open = async (folder: string, hidden: readonly string[] = []): Promise<TestContext> => ({
  ...createToolContext({
    workspace: await createWorkspace(folder),
    sandbox: await createSandbox({
      workspace: folder,
      home: place.home,
      env: place.env,
      masks: async () => hidden.map((path) => join(folder, path)),
    }),
  }),
  // One line with a token is one finding, regardless of the rest of the file.
  findSecrets: (text, { path = '' } = {}) =>
    text.split('\n').flatMap((line, i) => {
      const token = /TOKEN-(\d)/.exec(line)?.[1];
      const file = Buffer.from(path).reduce((sum, byte) => sum + byte, 0);
      return token === undefined
        ? []
        : [{ rule: 'token', line: i + 1, fingerprint: `${token}${file}`.padStart(16, '0') }];
    }),
});

beforeEach(async () => {
  place = createTestHome({ 'src/a.js': 'one\n', 'README.md': '# Test\n', '.gitignore': 'ignored/\n' });
  context = await open(place.workspace);
});
afterEach(() => place[Symbol.dispose]());

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: place.workspace, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();
const put = (path: string, content: string) => {
  mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
  writeFileSync(join(place.workspace, path), content);
};
const call = (name: string, input: unknown) => callTool(builtinTools, name, { input, context });
const commit = (input: Record<string, unknown> = {}) => call('git_commit', { message: 'Change it', ...input });
const files = (revision = 'HEAD') => git('show', '--format=', '--name-status', revision).split('\n').sort();
const as = ['-c', 'user.name=Other', '-c', 'user.email=other@localhost'];

describe('what is committed', () => {
  test('what is staged, and nothing else', async () => {
    put('src/a.js', 'staged\n');
    git('add', 'src/a.js');
    put('src/a.js', 'and changed\n');
    put('README.md', 'changed\n');
    const output = await commit({ message: 'Stage by stage\n\nWith a body.' });
    expect(output).toMatchObject({ text: expect.stringContaining('Stage by stage'), detail: { files: 1 } });
    expect(output.text).toContain(`[main ${git('rev-parse', '--short', 'HEAD')}] Stage by stage\n src/a.js | 2 +-\n`);
    expect(git('log', '-1', '--format=%an <%ae>%n%B')).toBe(
      'Klaus <klaus@example.invalid>\nStage by stage\n\nWith a body.',
    );
    expect(git('show', 'HEAD:src/a.js')).toBe('staged');
    expect(git('status', '--porcelain').split('\n')).toEqual([' M README.md', ' M src/a.js']);
    await expect(commit()).rejects.toMatchObject({ code: 'tool.failed', hint: expect.stringContaining('all: true') });
  });

  test('everything that changed; new files only by their names', { tags: ['long'] }, async () => {
    put('new file.txt', 'new\n');
    put('ignored/x', 'x');
    put('added.txt', 'added\n');
    git('add', 'added.txt');
    rmSync(join(place.workspace, 'README.md'));
    symlinkSync('/etc/passwd', join(place.workspace, 'link'));
    const output = await commit({ all: true });
    expect(output.isError).toBeUndefined();
    expect(output.text).toMatch(/: link, new file\.txt\.$/m);
    expect(files()).toEqual(['A\tadded.txt', 'D\tREADME.md']);
    expect(git('status', '--porcelain').split('\n')).toEqual(['?? link', '?? "new file.txt"']);
    await expect(commit({ all: true })).rejects.toMatchObject({ message: expect.stringContaining('new file.txt') });
    await commit({ paths: ['new file.txt', 'link'] });
    expect(files()).toEqual(['A\tlink', 'A\tnew file.txt']);
    expect(git('status', '--porcelain')).toBe('');
    await expect(commit({ all: true })).rejects.toMatchObject({
      code: 'tool.failed',
    });
  });

  test('some paths, while the rest stays as it was staged', { tags: ['long'] }, async () => {
    put('src/a.js', 'two\n');
    put('src/new.js', 'new\n');
    put(':(glob)*', 'odd\n');
    put('README.md', 'staged\n');
    git('add', 'README.md');
    rmSync(join(place.workspace, '.gitignore'));
    await commit({ paths: ['src', '.gitignore', ':(glob)*'] });
    expect(files()).toEqual(['A\t:(glob)*', 'A\tsrc/new.js', 'D\t.gitignore', 'M\tsrc/a.js']);
    expect(git('status', '--porcelain')).toBe('M  README.md');
    for (const paths of [['nothing'], ['../x'], ['..'], ['a\0b']]) {
      await expect(commit({ paths })).rejects.toMatchObject({ code: expect.stringMatching(/outside|failed/) });
    }
    await expect(commit({ paths: ['src'], all: true })).rejects.toMatchObject({ code: 'tool.failed' });
    await expect(commit({ message: ' \n' })).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringContaining('message'),
    });
  });

  test('not secret files, which are hidden here: they keep their last state and are named', async () => {
    put('.env', 'MODE=test\n');
    git('add', '.');
    git(...as, 'commit', '-qm', 'Settings');
    put('.env', 'MODE=something-else\n');
    put('.env.local', 'MODE=local\n');
    context = await open(place.workspace, ['.env', '.env.local']);
    for (const paths of [['.env'], ['.']]) {
      await expect(commit({ paths })).rejects.toMatchObject({
        code: 'tool.failed',
        message: expect.stringMatching(/: \.env[,.]/),
      });
    }
    put('src/a.js', 'two, and longer\n');
    put('listed.yaml', 'a: 1\n');
    context = await open(place.workspace, ['.env', '.env.local', 'listed.yaml']);
    expect((await call('git_checkpoint', {})).detail).toMatchObject({ leftOut: ['.env', '.env.local', 'listed.yaml'] });
    rmSync(join(place.workspace, 'listed.yaml'));
    const output = await commit({ all: true });
    expect(output.text).toMatch(/: \.env\.$/m);
    expect(files()).toEqual(['M\tsrc/a.js']);
    put('src/a.js', 'three, and even longer\n');
    expect((await commit({ paths: ['src'] })).text).not.toContain('.env');
    expect(git('status', '--porcelain').split('\n')).toEqual([' M .env', '?? .env.local']);
    // The way to stop keeping it in Git.
    git('rm', '-q', '--cached', '.env');
    put('.gitignore', 'ignored/\n.env*\n');
    await commit({ all: true });
    expect(files()).toEqual(['D\t.env', 'M\t.gitignore']);
  });

  test('not as deleted what is only hidden with its folder', { tags: ['long'] }, async () => {
    put('private/list.csv', 'one\n');
    git('add', '.');
    git(...as, 'commit', '-qm', 'List');
    context = await open(place.workspace, ['private']);
    put('src/a.js', 'two, and longer\n');
    await expect(commit({ all: true })).rejects.toMatchObject({ message: expect.stringContaining('private/list.csv') });
    expect((await call('git_checkpoint', {})).text).toContain('private/list.csv');
    const ref = git('for-each-ref', '--format=%(refname)', 'refs/klaus/checkpoints');
    expect(git('show', `${ref}:private/list.csv`)).toBe('one');
    await commit({ paths: ['src'] });
    expect(files()).toEqual(['M\tsrc/a.js']);
  });

  test('the first commit of a repository', async () => {
    git('checkout', '-q', '--orphan', 'fresh');
    git('rm', '-q', '-r', '--cached', '.');
    await commit({ paths: ['README.md'] });
    expect(files()).toEqual(['A\tREADME.md']);
    expect(git('rev-list', '--count', 'HEAD')).toBe('1');
  });
});

describe('secrets', () => {
  test('block with file, line and rule; the index counts, not the file', async () => {
    const before = git('rev-parse', 'HEAD');
    put('src/a.js', 'one\nTOKEN-1\n');
    put('big.txt', `${`${'x'.repeat(99)}\n`.repeat(30_000)}TOKEN-2\n`);
    git('add', '-A');
    put('src/a.js', 'one\n');
    const output = await commit();
    expect(output).toMatchObject({ isError: true, detail: { secrets: [{ line: 30_001 }, { line: 2 }] } });
    expect(output.text.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/^big\.txt:30001 token .*\b0{8,}2\d+\b/),
      expect.stringMatching(/^src\/a\.js:2 token .*\b0{8,}1\d+\b/),
    ]);
    expect(git('rev-parse', 'HEAD')).toBe(before);
    expect((await commit({ paths: ['src/a.js', 'big.txt'] })).isError).toBe(true);
    expect(git('status', '--porcelain').split('\n')).toEqual(['A  big.txt', 'MM src/a.js']);
  });

  test('do not block when the commit before has them, or when the user allowed them', async () => {
    put('src/a.js', 'TOKEN-1\n');
    git('add', '-A');
    git(...as, 'commit', '-qm', 'By hand');
    put('src/a.js', '// moved\nTOKEN-1\n');
    expect((await commit({ all: true })).isError).toBeUndefined();
    put('src/a.js', 'TOKEN-1 TOKEN\nTOKEN-3\n');
    const blocked = await commit({ all: true });
    expect(blocked.text).toContain('src/a.js:2 token');
    expect(blocked.text).not.toContain('src/a.js:1');
    const fingerprint = /\b([0-9a-f]{16})\b/.exec(blocked.text)![1]!;
    put('.klaus/secrets-allow', `${fingerprint} # an example\n`);
    expect((await commit({ paths: ['src/a.js'] })).isError).toBeUndefined();
  });
});

describe('the author', () => {
  test("signs nothing, and the repository's own identity counts", { tags: ['long'] }, async () => {
    git('config', 'user.name', 'Own Name');
    git('config', 'user.email', 'own@example.invalid');
    git('config', 'commit.gpgsign', 'true');
    put('src/a.js', 'two\n');
    await commit({ all: true });
    expect(git('log', '-1', '--format=%an %ae %cn %G?')).toBe('Own Name own@example.invalid Own Name N');
  });

  test('amends only when asked, keeps the author, and never what is on a remote', async () => {
    put('src/a.js', 'two\n');
    git('add', '-A');
    git(...as, 'commit', '-qm', 'Original', '--date=2020-01-02T03:04:05Z');
    const parent = git('rev-parse', 'HEAD^');
    put('src/a.js', 'three\n');
    await commit({ all: true, amend: true, message: 'Better' });
    expect(git('log', '-1', '--format=%P %an %cn %at %s')).toBe(`${parent} Other Klaus 1577934245 Better`);
    expect(git('show', 'HEAD:src/a.js')).toBe('three');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    await expect(commit({ amend: true })).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringContaining('remote'),
    });
    expect(git('log', '-1', '--format=%s')).toBe('Better');
  });

  test('a merge gets both parents; conflicts and a rebase are left to be resolved', { tags: ['long'] }, async () => {
    git('switch', '-qc', 'side');
    put('src/a.js', 'side\n');
    git(...as, 'commit', '-qam', 'Side');
    git('switch', '-q', 'main');
    put('src/a.js', 'main\n');
    git(...as, 'commit', '-qam', 'Main');
    expect(() => git(...as, 'merge', 'side')).toThrow('merge');
    await expect(commit({ all: true })).rejects.toMatchObject({ message: expect.stringContaining('src/a.js') });
    put('src/a.js', 'both\n');
    git('add', 'src/a.js');
    await expect(commit({ paths: ['src'] })).rejects.toMatchObject({ message: expect.stringContaining('merge') });
    const parents = `${git('rev-parse', 'HEAD')} ${git('rev-parse', 'side')}`;
    await commit({ message: 'Merge side' });
    expect(git('log', '-1', '--format=%P')).toBe(parents);
    expect(git('status')).toContain('nothing to commit');
    expect(() => git(...as, 'cherry-pick', 'side')).toThrow('cherry-pick');
    await expect(commit({ all: true })).rejects.toMatchObject({ message: expect.stringContaining('cherry-pick') });
  });

  test('writes no Git data outside the workspace', async () => {
    context = await open(join(place.workspace, 'src'));
    put('src/a.js', 'two\n');
    await expect(commit({ all: true })).rejects.toMatchObject({
      code: 'tool.failed',
      hint: expect.stringContaining('git_checkpoint'),
    });
    await expect(call('git_branch', { action: 'create', name: 'x' })).rejects.toMatchObject({ code: 'tool.failed' });
    expect((await call('git_branch', { action: 'list' })).text).toContain('* main');
  });
});

describe('hooks of the repository', () => {
  const addHook = (name: string, lines: string, folder = '.git/hooks') => {
    put(`${folder}/${name}`, `#!/bin/sh\n${lines}\n`);
    chmodSync(join(place.workspace, folder, name), 0o755);
  };

  test('run in the sandbox, in their order, with what git gives them', { tags: ['long'] }, async () => {
    const outside = join(place.home, '..', 'outside');
    for (const hook of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit'])
      addHook(
        hook,
        `echo ${hook} $# >> ran.txt; git rev-parse --show-prefix >> ran.txt; touch ${outside} 2>/dev/null; exit 0`,
      );
    put('src/a.js', 'two\n');
    await commit({ all: true });
    expect(readFileSync(join(place.workspace, 'ran.txt'), 'utf8').split('\n').filter(Boolean)).toEqual([
      'pre-commit 0',
      'prepare-commit-msg 2',
      'commit-msg 1',
      'post-commit 0',
    ]);
    expect(existsSync(outside)).toBe(false);
  });

  test('stop a commit, and say why', { tags: ['long'] }, async () => {
    const before = git('rev-parse', 'HEAD');
    put('src/a.js', 'two\n');
    for (const hook of ['pre-commit', 'prepare-commit-msg', 'commit-msg']) {
      addHook(hook, 'echo "line too long"; exit 7');
      await expect(commit({ all: true })).rejects.toMatchObject({
        code: 'tool.failed',
        message: expect.stringMatching(new RegExp(`line too long\\n.*\\b${hook}\\b.*\\b7\\b`)),
      });
      rmSync(join(place.workspace, '.git/hooks', hook));
    }
    expect(git('rev-parse', 'HEAD')).toBe(before);
    expect(git('status', '--porcelain')).toBe(' M src/a.js');
    addHook('post-commit', 'exit 1');
    await commit({ all: true });
    expect(git('rev-parse', 'HEAD^')).toBe(before);
  });

  test(
    'change files and the message: what is committed is what they left, and the index has it too',
    { tags: ['long'] },
    async () => {
      addHook(
        'pre-commit',
        "for f in $(git diff --cached --name-only -- '*.js'); do echo formatted >> $f; git add $f; done",
      );
      addHook('commit-msg', 'echo "Signed-off-by: Hook" >> "$1"');
      put('src/a.js', 'two\n');
      git('add', 'src/a.js');
      put('src/b.js', 'not staged\n');
      await commit({ message: 'Subject\n\nBody.' });
      expect(git('show', 'HEAD:src/a.js')).toBe('two\nformatted');
      expect(git('log', '-1', '--format=%B')).toContain('Signed-off-by: Hook');
      expect(git('status', '--porcelain')).toBe('?? src/b.js');
      await commit({ paths: ['src/b.js'] });
      expect(git('show', 'HEAD:src/b.js')).toBe('not staged\nformatted');
      expect(git('status', '--porcelain')).toBe('');
    },
  );

  test('bring no secret into a commit', async () => {
    const before = git('rev-parse', 'HEAD');
    addHook('pre-commit', 'echo TOKEN-1 > src/a.js; git add src/a.js');
    put('README.md', 'changed\n');
    expect((await commit({ all: true })).isError).toBe(true);
    expect(git('rev-parse', 'HEAD')).toBe(before);
  });

  test('are those of core.hooksPath; what is not executable does not run', async () => {
    git('config', 'core.hooksPath', '.husky/_');
    addHook('pre-commit', 'exit 1', '.husky/_');
    put('src/a.js', 'two\n');
    await expect(commit({ all: true })).rejects.toMatchObject({ message: expect.stringContaining('pre-commit') });
    chmodSync(join(place.workspace, '.husky/_/pre-commit'), 0o644);
    expect((await commit({ all: true })).isError).toBeUndefined();
  });
});

describe('git_branch', () => {
  test('lists, creates, switches and deletes', { tags: ['long'] }, async () => {
    put('src/a.js', 'kept\n');
    expect((await call('git_branch', { action: 'create', name: 'topic/one' })).text).toContain("'topic/one'");
    const listed = (await call('git_branch', { action: 'list' })).text.split('\n').sort();
    expect(listed).toEqual([
      expect.stringMatching(/^ {2}main .* Begin$/),
      expect.stringMatching(/^\* topic\/one .* Begin$/),
    ]);
    await call('git_branch', { action: 'switch', name: 'main' });
    expect(git('status', '--porcelain')).toBe(' M src/a.js');
    await call('git_branch', { action: 'delete', name: 'topic/one' });
    expect(git('branch', '--format=%(refname:short)')).toBe('main');
    await call('git_branch', { action: 'create', name: 'second', from: 'HEAD' });
    expect(git('symbolic-ref', '--short', 'HEAD')).toBe('second');
  });

  test('refuses what would lose work', { tags: ['long'] }, async () => {
    git('switch', '-qc', 'side');
    put('src/a.js', 'side\n');
    put('ignored/x', 'committed\n');
    git('add', '-f', '-A');
    git(...as, 'commit', '-qm', 'Side');
    git('switch', '-q', 'main');
    const refuse = async (input: Record<string, unknown>, words: string) =>
      expect(call('git_branch', input)).rejects.toMatchObject({ message: expect.stringContaining(words) });
    await refuse({ action: 'delete', name: 'side' }, 'not fully merged');
    await refuse({ action: 'delete', name: 'main' }, 'main');
    put('ignored/x', 'mine\n');
    await refuse({ action: 'switch', name: 'side' }, 'ignored/x');
    rmSync(join(place.workspace, 'ignored'), { recursive: true });
    put('src/a.js', 'mine\n');
    await refuse({ action: 'switch', name: 'side' }, 'src/a.js');
    git('checkout', '-q', '--detach');
    git(...as, 'commit', '-qam', 'On no branch');
    await refuse({ action: 'switch', name: 'main' }, 'detached');
    await refuse({ action: 'create', name: 'x', from: 'main' }, 'detached');
    const head = git('rev-parse', 'HEAD');
    await call('git_branch', { action: 'create', name: 'rescued' });
    expect(git('rev-parse', 'rescued')).toBe(head);
    await call('git_branch', { action: 'switch', name: 'main' });
  });

  test.each([
    { action: 'switch' },
    { action: 'switch', name: '-f' },
    { action: 'create', name: 'x', from: '--orphan' },
    { action: 'create', name: 'a b' },
    { action: 'create', name: 'a..b' },
  ])('refuses %j', async (input) => {
    await expect(call('git_branch', input)).rejects.toMatchObject({ code: 'tool.failed' });
    expect(git('branch', '--format=%(refname:short)')).toBe('main');
  });
});
