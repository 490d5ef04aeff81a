// Covers adapters/tools/git: Git tools.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools, createCheckpoint, type Checkpoint } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { callTool, createToolContext, type TestContext } from '../fixtures/tool-context.ts';

let place: TestHome;
let context: TestContext;
let outside: string;

const open = async (folder: string, session = 'S1') =>
  createToolContext({
    workspace: await createWorkspace(folder),
    sandbox: await createSandbox({ workspace: folder, home: place.home, env: place.env }),
    session,
    isSecret: (text) => text.includes('SECRET-VALUE'),
  });

beforeEach(async () => {
  place = createTestHome({ 'src/a.js': 'one\n', 'README.md': '# Test\n', '.gitignore': 'ignored/\n' });
  outside = dirname(place.workspace);
  context = await open(place.workspace);
});
afterEach(() => place[Symbol.dispose]());

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: place.workspace, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();
const put = (path: string, content: string, folder = place.workspace) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
};
const call = (name: string, input: unknown = {}) => callTool(builtinTools, name, { input, context });
const checkpoint = async (using = context): Promise<Checkpoint> => {
  const made = await createCheckpoint(using, 'A checkpoint');
  if ('skipped' in made) throw new Error(made.skipped);
  return made;
};
const skip = async (using = context) => {
  const made = await createCheckpoint(using, 'A checkpoint');
  return 'skipped' in made ? made.skipped : `made ${made.commit}`;
};

test('status, diff and log', async () => {
  expect((await call('git_status')).text).toMatch(/^## main\n(?![ MADRCU?!]{2} ).+$/);
  expect((await call('git_diff')).text).toMatch(/^(?!diff ).+$/);
  put('src/a.js', 'second\n');
  put('ünï.txt', 'new\n');
  put('README.md', '# Changed\n');
  git('add', 'README.md');
  expect((await call('git_status')).text.split('\n')).toEqual(['## main', 'M  README.md', ' M src/a.js', '?? ünï.txt']);
  expect((await call('git_diff')).text).toContain('-one\n+second');
  expect((await call('git_diff')).text).not.toContain('Changed');
  expect((await call('git_diff', { staged: true })).text).toContain('+# Changed');
  expect((await call('git_diff', { ref: 'HEAD', path: 'README.md' })).text).not.toContain('+second');
  await expect(call('git_diff', { ref: 'no-such-thing' })).rejects.toMatchObject({
    message: expect.stringContaining('no-such-thing'),
  });
  expect((await call('git_log')).text).toMatch(/^[0-9a-f]+ \d{4}-\d\d-\d\d Test: Begin \(HEAD -> main\)$/);
  expect((await call('git_log', { path: 'nothing' })).text).toMatch(/^(?![0-9a-f]{7,} ).+$/);
});

test('programs that the repository configures for Git do not run', async () => {
  const proof = join(place.workspace, 'ran');
  put('hook.sh', `#!/bin/sh\ntouch ${proof}\necho\n`);
  execFileSync('chmod', ['+x', join(place.workspace, 'hook.sh')]);
  for (const [key, value] of [
    ['core.fsmonitor', './hook.sh'],
    ['diff.external', './hook.sh'],
    ['core.pager', './hook.sh'],
    ['core.hooksPath', '.'],
    ['diff.x.textconv', './hook.sh'],
  ] as const) {
    git('config', key, value);
  }
  put('.gitattributes', '*.js diff=x\n');
  put('src/a.js', 'two\n');
  for (const name of ['git_status', 'git_diff', 'git_log', 'git_checkpoint']) await call(name);
  expect(existsSync(proof)).toBe(false);
});

describe('checkpoints', () => {
  test('commit everything but what is ignored, and leave index, HEAD and branch alone', async () => {
    put('src/a.js', 'two\n');
    put('staged.txt', 'staged\n');
    git('add', 'staged.txt');
    put('staged.txt', 'and changed\n');
    put('ignored/x.txt', 'x');
    rmSync(join(place.workspace, 'README.md'));
    for (const path of ['a b.txt', 'tab\there', 'line\nbreak', '-rf', '"quoted"', ':(glob)*', 'ünï']) put(path, path);
    symlinkSync('/etc/passwd', join(place.workspace, 'link'));
    const before = [
      git('rev-parse', 'HEAD'),
      git('status', '--porcelain'),
      git('ls-files', '--stage'),
      git('branch', '-a'),
    ];
    const made = await checkpoint();
    expect([
      git('rev-parse', 'HEAD'),
      git('status', '--porcelain'),
      git('ls-files', '--stage'),
      git('branch', '-a'),
    ]).toEqual(before);
    expect(made).toEqual({
      ref: 'refs/klaus/checkpoints/S1',
      commit: git('rev-parse', 'refs/klaus/checkpoints/S1'),
      files: 11,
      leftOut: [],
    });
    expect(git('ls-tree', '-r', '-z', '--name-only', made.commit).split('\0').filter(Boolean).sort()).toEqual(
      [
        '"quoted"',
        '-rf',
        '.gitignore',
        ':(glob)*',
        'a b.txt',
        'line\nbreak',
        'link',
        'src/a.js',
        'staged.txt',
        'tab\there',
        'ünï',
      ].sort(),
    );
    expect(git('show', `${made.commit}:staged.txt`)).toBe('and changed');
    expect(git('rev-parse', `${made.commit}^`)).toBe(git('rev-parse', 'HEAD'));
    expect(git('log', '-1', '--format=%an <%ae> %s', made.commit)).toBe('Klaus <klaus@example.invalid> A checkpoint');
  });

  test('a second one without changes is none; with changes it follows the first', async () => {
    expect(await createCheckpoint(context, 'A checkpoint')).toEqual({ skipped: expect.any(String) });
    put('src/a.js', 'two\n');
    const first = await checkpoint();
    expect(await createCheckpoint(context, 'A checkpoint')).toEqual({ skipped: expect.any(String), last: first });
    put('src/a.js', 'three\n');
    const second = await checkpoint();
    expect(git('rev-parse', `${second.commit}^`)).toBe(first.commit);
    expect((await call('git_checkpoint')).detail).toBeUndefined();
    expect(git('rev-parse', second.ref)).toBe(second.commit);
  });

  test('a sandbox that was made for a command is taken', async () => {
    const command = builtinTools.find(({ name }) => name === 'run_command')!;
    const end = await context.sandbox.prestart!(command.prestart!(context));
    put('src/a.js', 'two\n');
    expect(await checkpoint()).toMatchObject({ files: 1 });
    expect(await end()).toBe(false);
  });

  test('more changes than are listed are refused, and nothing is committed', { tags: ['long'] }, async () => {
    // Names of 5 MB together.
    const folder = `${'z'.repeat(240)}/${'w'.repeat(240)}`;
    for (let n = 0; n < 10_000; n++) put(`${folder}/${n}`, '');
    await expect(createCheckpoint(context, 'A checkpoint')).rejects.toMatchObject({ code: 'tool.failed' });
    expect(() => git('rev-parse', '--verify', 'refs/klaus/checkpoints/S1')).toThrow('rev-parse');
  });

  test('files with secrets are left out and named, also from the object store', async () => {
    put('big.txt', 'small\n');
    git('add', 'big.txt');
    git('-c', 'user.name=Other', '-c', 'user.email=other@localhost', 'commit', '-qm', 'Known');
    put('src/a.js', 'const key = "SECRET-VALUE";\n');
    put('big.txt', `${'x'.repeat(1_048_570)}SECRET-VALUE`);
    put('fine.txt', 'fine\n');
    const made = await checkpoint();
    expect(made.leftOut.sort()).toEqual(['big.txt', 'src/a.js']);
    expect(git('show', `${made.commit}:src/a.js`)).toBe('one');
    expect(git('show', `${made.commit}:big.txt`)).toBe('small');
    const object = git('hash-object', 'src/a.js');
    expect(() => git('cat-file', '-e', object)).toThrow('cat-file');
    put('fine.txt', 'fine\n');
    expect(await skip()).toContain('src/a.js');
  });

  test(
    'new files that are large or binary are left out and named, and changed ones are not',
    { tags: ['long'] },
    async () => {
      put('known.bin', 'a\0b');
      git('add', '-A');
      git('-c', 'user.name=Other', '-c', 'user.email=other@localhost', 'commit', '-qm', 'Known');
      put('known.bin', 'a\0c');
      put('new.bin', 'a\0d');
      put('new.txt', 'x'.repeat(1_048_577));
      put('fine.txt', 'x'.repeat(1_048_576));
      const made = await checkpoint();
      expect(made.large?.sort()).toEqual(['new.bin', 'new.txt']);
      expect(made.leftOut).toEqual([]);
      expect(git('diff-tree', '--name-status', 'HEAD', made.commit).split('\n')).toEqual([
        'A\tfine.txt',
        'M\tknown.bin',
      ]);
      for (const path of ['new.bin', 'new.txt'])
        expect(() => git('cat-file', '-e', git('hash-object', path))).toThrow('cat-file');
      expect((await call('git_checkpoint')).detail).toBeUndefined();
      expect(git('rev-parse', made.ref)).toBe(made.commit);
    },
  );

  test('asked for by a call they are refused with file, line and rule, until the user allows them', async () => {
    put('src/a.js', 'const one = 1;\nconst key = "SECRET-VALUE";\n');
    put('deep/.env.local', 'TOKEN=x\n');
    const refused = await call('git_checkpoint');
    const secret = { path: 'src/a.js', line: 1, rule: 'test', fingerprint: '0000000000000000' };
    expect(refused).toMatchObject({ isError: true, detail: { secrets: [secret] } });
    expect(refused.text).toMatch(/^src\/a\.js:1 test .*\b0000000000000000\b/m);
    expect(refused.text).toContain('klaus secrets allow');
    expect(() => git('rev-parse', '--verify', 'refs/klaus/checkpoints/S1')).toThrow('rev-parse');
    put('.klaus/secrets-allow', '# a test value\n0000000000000000\n');
    const made = await call('git_checkpoint');
    expect(made).toMatchObject({
      text: expect.stringContaining(': deep/.env.local'),
      detail: { leftOut: ['deep/.env.local'] },
    });
    expect(git('show', 'refs/klaus/checkpoints/S1:src/a.js')).toContain('SECRET-VALUE');
  });

  test('the identity of the repository signs where it has one', { tags: ['long'] }, async () => {
    git('config', 'user.name', 'Own Name');
    git('config', 'user.email', 'own@example.invalid');
    git('config', 'commit.gpgsign', 'true');
    put('src/a.js', 'two\n');
    expect(git('log', '-1', '--format=%an <%ae>', (await checkpoint()).commit)).toBe('Own Name <own@example.invalid>');
  });

  test('without a commit yet, and in a folder of a repository', { tags: ['long'] }, async () => {
    const fresh = join(outside, 'fresh');
    mkdirSync(fresh);
    execFileSync('git', ['init', '-q'], { cwd: fresh, env: place.env });
    const unborn = await open(fresh);
    expect((await callTool(builtinTools, 'git_log', { input: {}, context: unborn })).text).toMatch(
      /^(?![0-9a-f]{7,} ).+$/,
    );
    expect(await createCheckpoint(unborn, 'A checkpoint')).toEqual({ skipped: expect.any(String) });
    put('one.txt', 'one\n', fresh);
    expect(await checkpoint(unborn)).toMatchObject({ files: 1 });

    const folder = await open(join(place.workspace, 'src'), 'S2');
    put('src/a.js', 'two\n');
    put('src/b.js', 'b\n');
    put('README.md', 'not ours\n');
    expect((await callTool(builtinTools, 'git_status', { input: {}, context: folder })).text).toContain('?? src/b.js');
    expect((await callTool(builtinTools, 'git_diff', { input: {}, context: folder })).text).toContain('+two');
    const made = await checkpoint(folder);
    expect(made.files).toBe(2);
    expect(git('show', `${made.commit}:README.md`)).toBe('# Test');
    expect(git('show', `${made.commit}:src/a.js`)).toBe('two');
    expect(git('show', `${made.commit}:src/b.js`)).toBe('b');
  });

  test('in a worktree, whose Git data is elsewhere', { tags: ['long'] }, async () => {
    const tree = join(outside, 'tree');
    git('worktree', 'add', '-q', tree);
    const worktree = await open(tree);
    put('src/a.js', 'in the worktree\n', tree);
    expect((await callTool(builtinTools, 'git_status', { input: {}, context: worktree })).text).toContain(
      ' M src/a.js',
    );
    const made = await checkpoint(worktree);
    expect(git('show', `${made.commit}:src/a.js`)).toBe('in the worktree');
    expect(git('status', '--porcelain')).toBe('');
  });

  test('a planted .git file leads to no other repository', async () => {
    const planted = join(outside, 'planted');
    mkdirSync(planted);
    writeFileSync(join(planted, '.git'), `gitdir: ${join(place.workspace, '.git')}\n`);
    expect(await skip(await open(planted))).toContain('planted/.git');
    rmSync(join(planted, '.git'));
    symlinkSync(join(place.workspace, '.git'), join(planted, '.git'));
    expect(await skip(await open(planted))).toContain('.git');
  });

  test('a Git folder in the workspace leads to no other repository either', async () => {
    const planted = join(outside, 'planted');
    put('.git', 'gitdir: data\n', planted);
    put('data/HEAD', 'ref: refs/heads/main\n', planted);
    put('data/gitdir', `${join(planted, '.git')}\n`, planted);
    put('data/commondir', `${join(place.workspace, '.git')}\n`, planted);
    const using = await open(planted);
    for (const name of ['git_log', 'git_status', 'git_checkpoint']) {
      await expect(callTool(builtinTools, name, { input: {}, context: using })).rejects.toMatchObject({
        code: 'tool.failed',
      });
    }
    expect(existsSync(join(place.workspace, '.git/refs/klaus'))).toBe(false);
  });

  test('nothing of the workspace runs beside Git data that lies outside it', async () => {
    const tree = join(outside, 'tree');
    git('worktree', 'add', '-q', tree);
    const worktree = await open(tree);
    const steal = `cp ${join(place.workspace, '.git/config')} ${join(tree, 'stolen')}`;
    put('node_modules/.bin/git', `#!/bin/sh\n${steal}\nexec /usr/bin/git "$@"\n`, tree);
    chmodSync(join(tree, 'node_modules/.bin/git'), 0o755);
    put('.gitattributes', '*.js filter=planted\n', tree);
    put('src/a.js', 'changed\n', tree);
    const home = `printf '[filter "planted"]\\n\\tclean = "${steal}; cat"\\n' > "$HOME/.gitconfig"`;
    await callTool(builtinTools, 'run_command', { input: { command: home }, context: worktree });
    await callTool(builtinTools, 'git_diff', { input: {}, context: worktree });
    await checkpoint(worktree);
    expect(existsSync(join(tree, 'stolen'))).toBe(false);
  });

  test('a name that is no UTF-8 does not keep the rest out', { tags: ['long'] }, async () => {
    put('src/b.js', 'b\n');
    writeFileSync(Buffer.concat([Buffer.from(`${place.workspace}/odd-`), Buffer.from([0xff])]), 'x\n');
    const made = await checkpoint();
    expect(made.leftOut).toEqual(['odd-\uFFFD']);
    expect(git('show', `${made.commit}:src/b.js`)).toBe('b');
  });

  test('no repository: a clear reason', async () => {
    const bare = join(outside, 'bare');
    mkdirSync(bare);
    const plain = await open(bare);
    expect(await createCheckpoint(plain, 'A checkpoint')).toEqual({ skipped: expect.stringContaining('Git') });
    for (const name of ['git_status', 'git_diff', 'git_log', 'git_checkpoint']) {
      await expect(callTool(builtinTools, name, { input: {}, context: plain })).rejects.toMatchObject({
        code: 'tool.failed',
        hint: expect.stringContaining('git init'),
      });
    }
    expect(readFileSync(join(place.workspace, 'src/a.js'), 'utf8')).toBe('one\n');
  });
});
