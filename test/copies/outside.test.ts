// Covers apps/cli/commands, adapters/workspace/copies, adapters/sandboxes/protection: working copies in the real program.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MergedCopy, Script, WorkingCopy } from '@klaus/sdk';
import { expect, test as plain } from 'vitest';
import { type KlausOptions, runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const git = ({ workspace, env }: TestHome, ...args: string[]) =>
  execFileSync('git', args, { cwd: workspace, env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();
const command = (text: string): Script => ({
  steps: [{ when: { turn: 0, tools: true }, reply: { calls: [{ name: 'run_command', input: { command: text } }] } }],
  fallback: { text: 'Did it.' },
});
const createHome = (files?: Readonly<Record<string, string>>): TestHome => {
  const place = createTestHome(files);
  git(place, 'config', 'user.name', 'Ann');
  git(place, 'config', 'user.email', 'ann@localhost');
  return place;
};
const listCopies = async (options: KlausOptions): Promise<WorkingCopy[]> => {
  const { stdout } = await runKlaus(['copies', '--json'], options);
  const lines = stdout.split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as WorkingCopy);
};
const sandboxed = { KLAUS_SANDBOX: 'bubblewrap' };

test('commands in the sandbox commit in the copy, and can neither see nor damage the original', async () => {
  using place = createHome({ 'a.txt': 'one\n', '.gitignore': '.env\n' });
  writeFileSync(join(place.workspace, '.env'), 'KEY=1\n');
  // A script that computes its paths: the gate allows it, so that only the sandbox protects the original.
  const work = [
    'git log --format=%s',
    'echo two >> a.txt',
    'git commit -qam "Add two"',
    'git gc -q --prune=now',
    'original=$(cat original.txt)',
    'rm -rf "$original"/.git/objects/* 2>/dev/null',
    'touch "$original"/.git/objects/x',
    'cat "$original"/a.txt',
    'git fsck --connectivity-only',
    'for file in .e*; do wc -c "$file"; done',
  ];
  writeFileSync(join(place.workspace, 'work.sh'), `${work.join('\n')}\n`);
  writeFileSync(join(place.workspace, 'original.txt'), place.workspace);
  git(place, 'add', '-A');
  git(place, 'commit', '-qm', 'Add a script');
  await using server = await startServer(command('sh work.sh 2>&1'));
  const options = { place, server, env: sandboxed };
  const before = git(place, 'count-objects', '-v');
  const ran = await runKlaus(['run', '--worktree', '--approve', 'auto', '--json', 'work'], options);
  expect(ran.code).toBe(0);
  const events = toEvents(ran.stdout);
  const [finished] = events.flatMap((event) => (event.type === 'tool.finished' ? [event] : []));
  expect(finished!.output).toContain('Begin');
  expect(finished!.output).toContain('a.txt: No such file or directory');
  expect(finished!.output).toMatch(/Read-only file system/);
  expect(finished!.output).toContain('.env: Permission denied');
  expect(git(place, 'count-objects', '-v')).toBe(before);
  const [copy] = await listCopies(options);
  expect(copy).toMatchObject({ state: 'ahead', ahead: 1, changes: 0, target: 'main', isOrphaned: false });

  const undone = await runKlaus(['undo', '--session', copy!.session, '--git', '--yes'], options);
  expect(undone.code).toBe(0);
  expect((await listCopies(options))[0]).toMatchObject({ state: 'clean' });
  expect((await runKlaus(['redo', '--session', copy!.session], options)).code).toBe(0);
  expect(readFileSync(join(copy!.path, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect((await runKlaus(['merge', copy!.session.slice(0, 24), '--squash'], options)).code).toBe(0);
  expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(git(place, 'for-each-ref', 'refs/klaus')).toBe('');
});

test('git_commit works in a copy', { tags: ['long'] }, async () => {
  using place = createHome({ 'a.txt': 'one\n' });
  const script: Script = {
    steps: [
      {
        when: { turn: 0, tools: true },
        reply: {
          calls: [
            { name: 'write_file', input: { path: 'b.txt', content: 'b\n' } },
            { name: 'use_tool', input: { name: 'git_commit', input: { message: 'Add b', paths: ['b.txt'] } } },
          ],
        },
      },
    ],
    fallback: { text: 'Committed.' },
  };
  await using server = await startServer(script);
  const options = { place, server, env: sandboxed };
  const ran = await runKlaus(['run', '--worktree', '--approve', 'auto', '--json', 'commit'], options);
  const finished = toEvents(ran.stdout).flatMap((event) => (event.type === 'tool.finished' ? [event] : []));
  expect(finished.map(({ name, outcome, output }) => [name, outcome, outcome === 'ok' ? '' : output])).toEqual([
    ['write_file', 'ok', ''],
    ['git_commit', 'ok', ''],
  ]);
  expect(await listCopies(options)).toMatchObject([{ ahead: 1, changes: 0 }]);
});

test('the set-up command of the user runs in the sandbox before the prompt; that of the project needs trust', async () => {
  using place = createHome({ '.klaus/config.yaml': 'worktree:\n  setup: echo project > made.txt\n' });
  await using server = await startServer({ steps: [], fallback: { text: 'Ready.' } });
  const options = { place, server, env: sandboxed };
  const run = (...words: string[]) => runKlaus(['run', '--worktree', '--json', ...words, 'go'], options);
  expect((await run()).code).toBe(3);
  expect(await listCopies(options)).toEqual([]);
  expect((await run('--trust-command')).code).toBe(0);
  expect((await run('--set', 'worktree.setup=echo mine > made.txt')).code).toBe(0);
  expect((await run('--set', 'worktree.setup=')).code).toBe(0);
  const copies = await listCopies(options);
  const made = copies.map(({ path }) => {
    const file = join(path, 'made.txt');
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  });
  expect(made).toEqual(['project\n', 'mine\n', undefined]);
});

plain('a conflict is printed by hunk, and an agent solves it in the copy', async () => {
  using place = createHome({ 'a.txt': 'one\ntwo\nthree\n' });
  await using server = await startServer({
    steps: [
      {
        when: { user: 'have conflicts', turn: 1 },
        reply: {
          calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'one\nboth\nthree\n' } }],
        },
      },
    ],
    fallback: { text: 'Solved.' },
  });
  const options = { place, server };
  expect((await runKlaus(['run', '--worktree', '--approve', 'plan', 'hello'], options)).code).toBeGreaterThanOrEqual(0);
  const [copy] = await listCopies(options);
  writeFileSync(join(copy!.path, 'a.txt'), 'one\nTWO\nthree\n');
  writeFileSync(join(place.workspace, 'a.txt'), 'one\ndeux\nthree\n');
  git(place, 'commit', '-qam', 'French');
  const refused = await runKlaus(['merge', copy!.session], options);
  expect(refused.code).toBe(1);
  expect(refused.stdout.split('\n')).toEqual(expect.arrayContaining(['a.txt', '  - deux', '  + TWO']));
  expect(git(place, 'status', '--porcelain')).toBe('');
  const solved = await runKlaus(['merge', copy!.session, '--agent', '--approve', 'auto', '--json'], options);
  expect(JSON.parse(solved.stdout) as MergedCopy).toMatchObject({ done: true, how: 'merged', into: 'main' });
  expect(readFileSync(join(place.workspace, 'a.txt'), 'utf8')).toBe('one\nboth\nthree\n');
  expect(git(place, 'log', '--format=%P', '-1').split(' ')).toHaveLength(2);
});

for (const { cases, tags } of splitCases(['gh', 'glab', undefined], 1))
  plain.each(cases)('pr with %s', { tags }, async (program) => {
    using place = createHome({ 'a.txt': 'one\n' });
    const root = dirname(place.workspace);
    const remote = join(root, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', remote], { env: place.env });
    git(place, 'remote', 'add', 'origin', remote);
    const folder = join(root, 'programs');
    mkdirSync(folder);
    if (program !== undefined) {
      writeFileSync(
        join(folder, program),
        `#!/bin/sh\nprintf '%s\\0' "$@" > ${folder}/arguments\necho https://example.com/1\n`,
      );
      chmodSync(join(folder, program), 0o755);
    }
    await using server = await startServer({ steps: [], fallback: { text: 'It is $(done) now.' } });
    const options = { place, server, env: { PATH: `${folder}:${place.env['PATH']}` } };
    await runKlaus(['run', '--worktree', 'Add a file'], options);
    const [copy] = await listCopies(options);
    writeFileSync(join(copy!.path, 'new.txt'), 'new\n');
    const ran = await runKlaus(['pr', copy!.session, '--draft'], options);
    expect(ran.code).toBe(0);
    const pushed = execFileSync('git', ['for-each-ref', '--format=%(refname)'], {
      cwd: remote,
      env: place.env,
    }).toString();
    if (program === undefined) {
      expect(pushed).toBe('');
      expect(ran.stdout).toContain('git push');
      expect(ran.stdout).toContain('gh pr create --head');
      return;
    }
    expect(ran.stdout).toBe('https://example.com/1\n');
    expect(pushed).toBe(`refs/heads/${copy!.branch}\n`);
    const given = readFileSync(join(folder, 'arguments'), 'utf8').split('\0').slice(0, -1);
    const words =
      program === 'gh'
        ? ['pr', 'create', '--head', copy!.branch, '--base', 'main']
        : ['mr', 'create', '--yes', '--source-branch', copy!.branch, '--target-branch', 'main'];
    expect(given).toEqual([
      ...words,
      '--title',
      'Add a file',
      program === 'gh' ? '--body' : '--description',
      expect.any(String),
      '--draft',
    ]);
    expect(given.at(-2)).toContain('It is $(done) now.');
    expect(given.at(-2)).toContain('- `new.txt`');
    expect(await listCopies(options)).toHaveLength(1);
  });

plain('exit codes: an unknown copy, a folder without a repository, options that exclude each other', async () => {
  using place = createHome();
  await using server = await startServer({ steps: [] });
  const options = { place, server };
  const outside = join(dirname(place.workspace), 'plain');
  mkdirSync(outside);
  expect((await runKlaus(['run', '--worktree', 'go'], { ...options, cwd: outside })).code).toBe(2);
  expect((await runKlaus(['merge', '01J'], options)).code).toBe(2);
  expect((await runKlaus(['merge', '01J', '--squash', '--rebase'], options)).code).toBe(2);
  expect((await runKlaus(['run', '--with-changes', 'go'], options)).code).toBe(2);
  expect(await listCopies(options)).toEqual([]);
});
