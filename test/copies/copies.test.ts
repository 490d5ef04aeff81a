// Covers adapters/workspace/copies, sdk/copies: working copies of sessions, from their creation to merge, keep and discard.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Session } from '@klaus/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const LINES = 'one\ntwo\nthree\nfour\nfive\n';
const FILES = { 'a.txt': LINES, 'b.txt': 'b\n', '.gitignore': '.env\nbuild/\n' };
let engine: TestEngine;

beforeEach(async () => {
  engine = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } }, files: FILES });
  identify(engine.place.workspace);
});
afterEach(() => engine[Symbol.asyncDispose]());

const gitIn = (folder: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: folder, env: engine.place.env, stdio: ['ignore', 'pipe', 'pipe'] })
    .toString()
    .trimEnd();
const git = (...args: string[]) => gitIn(engine.place.workspace, ...args);
const identify = (folder: string) => {
  gitIn(folder, 'config', 'user.name', 'Ann');
  gitIn(folder, 'config', 'user.email', 'ann@localhost');
};
const put = (folder: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
};
const commit = (folder: string, files: Readonly<Record<string, string>>, message = 'Change') => {
  put(folder, files);
  gitIn(folder, 'add', '-A');
  gitIn(folder, 'commit', '-q', '-m', message);
};
const read = (name: string) => readFileSync(join(engine.place.workspace, name), 'utf8');
const open = async (options: Parameters<TestEngine['klaus']['open']>[0] = {}) => {
  const session = await engine.klaus.open({ workingCopy: true, ...options });
  return { session, path: (await openedOf(session)).workingCopy!.path };
};
const openedOf = async (session: Session) => ofType(await Array.fromAsync(session.events()), 'session.opened')[0]!;
const endOf = async ({ id }: Session) => engine.klaus.store.lastOf(id, ['workingCopy.ended']);
const stateOf = async ({ id }: Session) => (await engine.klaus.copies.list()).find((one) => one.session === id)?.state;
const today = () => new Date().toISOString().slice(0, 10);
/** Everything that a copy could leave in the repository. */
const traces = () => [
  git('status', '--porcelain'),
  git('for-each-ref', 'refs/klaus', 'refs/heads/klaus'),
  git('worktree', 'list'),
];
const code = (expected: string) => ({ code: expected, hint: expect.any(String) as string });

describe('create', () => {
  test.each(['klaus', 'Klaus'])('a repository with a branch %s has working copies too', async (name) => {
    git('branch', name);
    const { session, path } = await open();
    const { workingCopy } = await openedOf(session);
    expect(workingCopy!.branch).toBe(`klaus-${session.id.slice(-8).toLowerCase()}`);
    commit(path, { 'a.txt': 'new\n' });
    await engine.klaus.copies.keep(session.id);
    expect(git('show', `${workingCopy!.branch}:a.txt`)).toBe('new');
    expect(git('rev-parse', name)).toBe(workingCopy!.base);
  });

  test('a branch klaus that is created later does not end the work', async () => {
    const { session, path } = await open();
    commit(path, { 'a.txt': 'new\n' });
    git('branch', 'klaus');
    await expect(engine.klaus.copies.keep(session.id)).rejects.toMatchObject(code('copy.blocked'));
    git('branch', '-m', 'klaus', 'other');
    await engine.klaus.copies.keep(session.id);
    expect(git('show', `${(await openedOf(session)).workingCopy!.branch}:a.txt`)).toBe('new');
  });

  test('the session works in a clone on its own branch, and the original does not change', async () => {
    git('tag', 'v1');
    const before = git('status', '--porcelain=v2', '--branch');
    const { session, path } = await open();
    const { workspace, workingCopy } = await openedOf(session);
    expect(workspace).toBe(path);
    expect(workingCopy).toEqual({
      ...{ repository: engine.place.workspace, path, branch: `klaus/${session.id.slice(-8).toLowerCase()}` },
      base: git('rev-parse', 'HEAD'),
    });
    expect(path.startsWith(join(engine.place.home, 'copies/'))).toBe(true);
    expect(gitIn(path, 'status', '--porcelain=v2', '--branch')).toContain(`branch.head ${workingCopy!.branch}`);
    expect(gitIn(path, 'for-each-ref', '--format=%(refname)')).toContain('refs/tags/v1');
    expect(gitIn(path, 'count-objects')).toMatch(/^0 objects/);
    commit(path, { 'a.txt': 'changed\n' });
    expect(git('status', '--porcelain=v2', '--branch')).toBe(before);
    expect(read('a.txt')).toBe(LINES);
    expect(git('worktree', 'list').split('\n')).toHaveLength(1);
    expect(await stateOf(session)).toBe('ahead');
  });

  test('in a folder below the top, the session works in the same folder of the copy', async () => {
    commit(engine.place.workspace, { 'packages/x/a.txt': 'x\n' });
    const { session, path } = await open({ workspace: 'packages/x' });
    expect((await openedOf(session)).workspace).toBe(join(path, 'packages/x'));
  });

  test('starts from HEAD, or with the uncommitted changes, which stay in the original', async () => {
    put(engine.place.workspace, { 'a.txt': 'mine\n', 'new.txt': 'new\n' });
    rmSync(join(engine.place.workspace, 'b.txt'));
    const status = git('status', '--porcelain');
    const plain = await open();
    expect(readFileSync(join(plain.path, 'a.txt'), 'utf8')).toBe(LINES);
    expect(await stateOf(plain.session)).toBe('clean');
    const dirty = await open({ workingCopy: { withChanges: true } });
    expect(gitIn(dirty.path, 'status', '--porcelain')).toBe(status);
    expect(await stateOf(dirty.session)).toBe('changed');
    expect(git('status', '--porcelain')).toBe(status);
  });

  test('ignored files of the setting are copied, and no others', async () => {
    put(engine.place.workspace, { '.env': 'KEY=1\n', 'sub/.env': 'KEY=2\n', 'build/out.js': 'x\n' });
    const { path } = await open();
    expect(readFileSync(join(path, 'sub/.env'), 'utf8')).toBe('KEY=2\n');
    expect(existsSync(join(path, '.env'))).toBe(true);
    expect(existsSync(join(path, 'build'))).toBe(false);
  });

  test('no repository, no commit, a bare one, and a copy: each refused with what to do', async () => {
    const root = dirname(engine.place.workspace);
    const copy = await open();
    for (const name of ['plain', 'empty', 'bare']) mkdirSync(join(root, name));
    gitIn(join(root, 'empty'), 'init', '-q');
    gitIn(join(root, 'bare'), 'init', '-q', '--bare');
    for (const workspace of [
      join(root, 'plain'),
      join(root, 'empty'),
      join(root, 'bare'),
      join(root, 'bare/objects'),
      copy.path,
    ])
      await expect(open({ workspace })).rejects.toMatchObject(code('copy.refused'));
    expect(await engine.klaus.copies.list()).toHaveLength(1);
    expect(await engine.klaus.sessions()).toHaveLength(1);
  });

  test('a session that cannot be opened leaves nothing', async () => {
    await expect(open({ model: 'unknown/none' })).rejects.toMatchObject({ code: 'model.unknown' });
    expect(await engine.klaus.copies.list()).toEqual([]);
    expect(traces()).toEqual(['', '', expect.any(String)]);
  });

  test('a detached HEAD: its commit is the base, and a merge needs a branch', async () => {
    git('checkout', '-q', '--detach');
    const { session, path } = await open();
    commit(path, { 'a.txt': 'changed\n' });
    await expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject(code('copy.blocked'));
    expect(await engine.klaus.copies.merge(session.id, { into: 'main' })).toMatchObject({ done: true, how: 'merged' });
    expect(git('show', 'main:a.txt')).toBe('changed');
    expect(read('a.txt')).toBe(LINES);
  });

  test('the repository survives a gc while the copy lives, and the copy too', async () => {
    const { path } = await open();
    commit(engine.place.workspace, { 'b.txt': 'next\n' });
    git('reset', '-q', '--hard', 'HEAD~1');
    git('commit', '-q', '--amend', '-m', 'Another beginning');
    git('reflog', 'expire', '--expire=now', '--all');
    git('gc', '-q', '--prune=now');
    expect(gitIn(path, 'rev-list', '--objects', 'HEAD').split('\n').length).toBeGreaterThan(3);
    expect(gitIn(path, 'log', '--format=%s')).toBe('Begin');
  });
});

describe('merge', () => {
  test('a fast-forward with the uncommitted work, and nothing is left', async () => {
    const { session, path } = await open();
    await session.send({ type: 'change', title: 'Improve the list' });
    await session.applyQueuedCommands();
    put(path, { 'a.txt': 'changed\n', 'deep/new.txt': 'new\n' });
    const merged = await engine.klaus.copies.merge(session.id.slice(0, 24));
    expect(merged).toMatchObject({
      done: true,
      how: 'merged',
      into: 'main',
      commit: git('rev-parse', 'HEAD'),
      saved: [],
    });
    expect(git('log', '--format=%an %s')).toBe('Ann Improve the list\nTest Begin');
    expect(read('deep/new.txt')).toBe('new\n');
    expect(traces()).toEqual(['', '', expect.any(String)]);
    expect(await endOf(session)).toMatchObject({ how: 'merged', commit: git('rev-parse', 'HEAD') });
    expect(existsSync(path)).toBe(false);
    expect(existsSync(`${path}.json`)).toBe(false);
    expect(existsSync(`${path}.lock`)).toBe(false);
    await session.prompt('More');
    await expect(session.advance()).rejects.toMatchObject({ code: 'workspace.missing' });
  });

  for (const { cases, tags } of splitCases(
    [
      ['merge', 'merged', 4, 2],
      ['squash', 'squashed', 3, 1],
      ['rebase', 'rebased', 4, 1],
    ] as const,
    1,
  ))
    test.each(cases)('%s onto a branch that moved', { tags }, async (method, how, commits, parents) => {
      const { session, path } = await open();
      commit(path, { 'a.txt': `${LINES}six\n` }, 'Six');
      if (method === 'rebase') commit(path, { 'c.txt': 'c\n' }, 'C');
      else put(path, { 'c.txt': 'c\n' });
      commit(engine.place.workspace, { 'b.txt': 'next\n' }, 'Next');
      const before = git('rev-parse', 'HEAD');
      expect(await engine.klaus.copies.merge(session.id, { method })).toMatchObject({ done: true, how });
      expect(git('log', '--format=%P', '-1').split(' ')).toHaveLength(parents);
      expect(Number(git('rev-list', '--count', 'HEAD')) - (method === 'merge' ? 1 : 0)).toBe(commits);
      expect(git('merge-base', 'HEAD', before)).toBe(before);
      expect([read('a.txt'), read('b.txt'), read('c.txt')]).toEqual([`${LINES}six\n`, 'next\n', 'c\n']);
      expect(traces()).toEqual(['', '', expect.any(String)]);
    });

  for (const { cases, tags } of splitCases(['merge', 'squash', 'rebase'] as const, 1))
    test.each(cases)('%s with a conflict: its hunks, and nothing changes', { tags }, async (method) => {
      const { session, path } = await open();
      commit(path, { 'a.txt': LINES.replace('two', 'TWO'), 'b.txt': 'theirs\n', 'c.txt': 'c\n' });
      put(engine.place.workspace, { 'a.txt': LINES.replace('two', 'deux') });
      git('rm', '-q', 'b.txt');
      git('commit', '-q', '-a', '-m', 'Two');
      const before = [git('rev-parse', 'HEAD'), git('status', '--porcelain'), read('a.txt')];
      const result = await engine.klaus.copies.merge(session.id, { method });
      expect(result).toMatchObject({
        done: false,
        into: 'main',
        conflicts: [
          { path: 'a.txt', hunks: [{ line: 2, target: 'deux\n', base: 'two\n', copy: 'TWO\n' }] },
          { path: 'b.txt', hunks: [], messages: [expect.stringContaining('b.txt')] },
        ],
      });
      expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), read('a.txt')]).toEqual(before);
      expect(await stateOf(session)).toBe('ahead');
      expect(await endOf(session)).toBeUndefined();
    });

  for (const { cases, tags } of splitCases(['merge', 'squash', 'rebase'] as const, 1))
    test.each(cases)('%s with solved conflicts: by hunk, and by file', { tags }, async (method) => {
      const long = Array.from({ length: 30 }, (_, at) => `${at + 1}\n`);
      const lines = (...changes: [number, string][]) => {
        const changed = [...long];
        for (const [at, text] of changes) changed[at - 1] = text;
        return changed.join('');
      };
      commit(engine.place.workspace, { 'long.txt': lines(), 'latin.txt': 'a\n' });
      const { session, path } = await open();
      commit(path, { 'long.txt': lines([2, 'copy 2\n'], [12, 'copy 12\n'], [22, 'copy 22\n'], [30, 'copy 30\n']) });
      commit(path, { 'b.txt': 'copy\n', 'c.txt': 'c\n' });
      const mine = lines([2, '=======\n'], [12, 'mine 12\n'], [22, 'mine 22\n'], [30, 'mine 30\n']);
      put(engine.place.workspace, { 'long.txt': mine });
      git('rm', '-q', 'b.txt');
      git('commit', '-q', '-a', '-m', 'Mine');
      const files = [
        { path: 'long.txt', hunks: ['target', 'copy', 'both', { text: 'edited ü\n' }] as const },
        { path: 'b.txt', side: 'copy' as const },
      ];
      const result = await engine.klaus.copies.merge(session.id, { method });
      if (result.done) throw new Error('There is no conflict.');
      const { target, head } = result;
      const conflict = result.conflicts.find((one) => one.path === 'long.txt')!;
      expect(conflict.sides).toEqual(['target', 'copy']);
      expect(conflict.hunks[0]).toMatchObject({ line: 2, target: '=======\n', copy: 'copy 2\n' });
      const steps = [{ at: result.at, files: files.slice(0, result.conflicts.length) }];
      const solve = (solution: typeof steps) =>
        engine.klaus.copies.merge(session.id, { method, solution: { target, head, steps: solution } });
      await expect(solve([{ at: result.at, files: [] }])).rejects.toMatchObject(code('usage'));
      await expect(
        solve([{ at: result.at, files: [{ path: 'long.txt', hunks: ['copy'] as never }] }]),
      ).rejects.toMatchObject(code('usage'));
      const stale = engine.klaus.copies.merge(session.id, { method, solution: { target: head, head, steps } });
      await expect(stale).rejects.toMatchObject(code('copy.blocked'));
      let merged = await solve(steps);
      if (method === 'rebase') {
        // The second commit has the other conflict.
        expect(merged).toMatchObject({ done: false, target, head, conflicts: [{ path: 'b.txt', sides: ['copy'] }] });
        if (!merged.done) merged = await solve([...steps, { at: merged.at, files: files.slice(1) }]);
      }
      expect(merged).toMatchObject({ done: true });
      const both = 'mine 22\ncopy 22\n';
      expect(read('long.txt')).toBe(lines([2, '=======\n'], [12, 'copy 12\n'], [22, both], [30, 'edited ü\n']));
      expect([read('b.txt'), read('c.txt'), git('status', '--porcelain')]).toEqual(['copy\n', 'c\n', '']);
      expect(traces()).toEqual(['', '', expect.any(String)]);
    });

  test('a solved conflict keeps the bytes of another encoding, and line breaks of Windows', async () => {
    const latin = (middle: string) => Buffer.from(`caf\u00e9\r\n${middle}\r\nend \u00fc`, 'latin1');
    const commitBytes = (folder: string, middle: string) => {
      writeFileSync(join(folder, 'latin.txt'), latin(middle));
      gitIn(folder, 'add', '-A');
      gitIn(folder, 'commit', '-q', '-m', 'Latin');
    };
    commitBytes(engine.place.workspace, 'base');
    const { session, path } = await open();
    commitBytes(path, 'copy \u00e4');
    commitBytes(engine.place.workspace, 'mine');
    const result = await engine.klaus.copies.merge(session.id);
    if (result.done) throw new Error('There is no conflict.');
    expect(result.conflicts).toMatchObject([{ path: 'latin.txt', hunks: [{ target: 'mine\r\n' }] }]);
    const { target, head } = result;
    const steps = [{ files: [{ path: 'latin.txt', hunks: ['copy'] as const }] }];
    expect(await engine.klaus.copies.merge(session.id, { solution: { target, head, steps } })).toMatchObject({
      done: true,
    });
    expect(readFileSync(join(engine.place.workspace, 'latin.txt'))).toEqual(latin('copy \u00e4'));
  });

  test('a conflict that is solved in the copy can be merged', { tags: ['long'] }, async () => {
    const { session, path } = await open();
    commit(path, { 'a.txt': LINES.replace('two', 'TWO') });
    commit(engine.place.workspace, { 'a.txt': LINES.replace('two', 'deux') });
    const shown = await engine.klaus.copies.showConflicts(session.id);
    expect(shown).toMatchObject({ session: session.id, path, files: ['a.txt'] });
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toContain('<<<<<<<');
    await expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject(code('copy.blocked'));
    put(path, { 'a.txt': LINES.replace('two', 'TWO deux') });
    const before = git('rev-parse', 'HEAD');
    expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true });
    expect(read('a.txt')).toBe(LINES.replace('two', 'TWO deux'));
    expect(git('status', '--porcelain')).toBe('');
    expect(git('rev-parse', 'HEAD^1')).toBe(before);
    expect(traces()).toEqual(['', '', expect.any(String)]);
  });

  test(
    'uncommitted changes of the original: refused where they overlap, kept where not',
    { tags: ['long'] },
    async () => {
      const { session, path } = await open();
      commit(path, { 'a.txt': 'changed\n', 'new.txt': 'new\n' });
      for (const mine of ['a.txt', 'new.txt']) {
        put(engine.place.workspace, { [mine]: 'mine\n' });
        const status = git('status', '--porcelain');
        await expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject(code('copy.blocked'));
        expect(git('status', '--porcelain')).toBe(status);
        expect(git('rev-list', '--count', 'HEAD')).toBe('1');
        git('checkout', '-q', '--', 'a.txt');
      }
      rmSync(join(engine.place.workspace, 'new.txt'));
      put(engine.place.workspace, { 'b.txt': 'mine\n' });
      expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true });
      expect([git('status', '--porcelain'), read('b.txt'), read('a.txt')]).toEqual([' M b.txt', 'mine\n', 'changed\n']);
    },
  );

  test('an unfinished merge in the original is refused', async () => {
    const { session, path } = await open();
    commit(path, { 'c.txt': 'c\n' });
    git('checkout', '-q', '-b', 'other');
    commit(engine.place.workspace, { 'a.txt': 'other\n' });
    git('checkout', '-q', 'main');
    commit(engine.place.workspace, { 'a.txt': 'main\n' });
    expect(() => git('merge', 'other')).toThrow('Command failed');
    await expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject(code('copy.blocked'));
    git('merge', '--abort');
    expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true });
  });

  test('a branch that is checked out in another worktree is moved there', async () => {
    const { session, path } = await open();
    commit(path, { 'a.txt': 'changed\n' });
    git('checkout', '-q', '-b', 'other');
    const linked = join(dirname(engine.place.workspace), 'linked');
    git('worktree', 'add', '-q', linked, 'main');
    expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true });
    expect(readFileSync(join(linked, 'a.txt'), 'utf8')).toBe('changed\n');
    expect(gitIn(linked, 'status', '--porcelain')).toBe('');
    expect(read('a.txt')).toBe(LINES);
  });

  test('what cannot be committed blocks: secrets, new repositories, another branch, an unfinished rebase', async () => {
    const { session, path } = await open();
    const blocked = () => expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject(code('copy.blocked'));
    put(path, { 'server.key': 'secret\n' });
    await blocked();
    rmSync(join(path, 'server.key'));
    mkdirSync(join(path, 'nested'));
    gitIn(join(path, 'nested'), 'init', '-q');
    identify(join(path, 'nested'));
    commit(join(path, 'nested'), { x: 'x\n' });
    await blocked();
    rmSync(join(path, 'nested'), { recursive: true });
    commit(path, { 'a.txt': 'one\n' });
    gitIn(path, 'checkout', '-q', '-b', 'side', 'HEAD~1');
    await blocked();
    commit(path, { 'a.txt': 'two\n' });
    expect(() => gitIn(path, 'rebase', `klaus/${session.id.slice(-8).toLowerCase()}`)).toThrow('Command failed');
    await blocked();
    gitIn(path, 'rebase', '--abort');
    expect(read('a.txt')).toBe(LINES);
  });

  test('commits of other branches of the copy are saved', async () => {
    const { session, path } = await open();
    gitIn(path, 'checkout', '-q', '-b', 'idea');
    commit(path, { 'idea.txt': 'idea\n' });
    gitIn(path, 'checkout', '-q', '-');
    commit(path, { 'a.txt': 'changed\n' });
    const merged = await engine.klaus.copies.merge(session.id, { method: 'squash' });
    const name = session.id.slice(-8).toLowerCase();
    expect(merged).toMatchObject({ done: true, saved: [`refs/klaus/discarded/${today()}/${name}/idea`] });
    expect(git('show', `refs/klaus/discarded/${today()}/${name}/idea:idea.txt`)).toBe('idea');
  });

  test('a squash by hand is recognised, and clean removes the copy without a trace', async () => {
    const { session, path } = await open();
    commit(path, { 'a.txt': 'changed\n' });
    git('fetch', '-q', path, 'HEAD');
    git('merge', '-q', '--squash', 'FETCH_HEAD');
    git('commit', '-q', '-m', 'By hand');
    expect(await stateOf(session)).toBe('merged');
    expect(await engine.klaus.copies.clean()).toMatchObject([{ session: session.id, saved: [] }]);
    expect(traces()).toEqual(['', '', expect.any(String)]);
  });
});

describe('diff', () => {
  test('has committed and uncommitted changes, also while the branch moves, and changes nothing', async () => {
    const { session, path } = await open();
    commit(path, { 'a.txt': LINES.replace('two', 'TWO') });
    put(path, { 'new.txt': 'new\n', 'bin.dat': '\0\u0001', 'server.key': 'secret\n', 'empty.txt': '' });
    rmSync(join(path, 'b.txt'));
    commit(engine.place.workspace, { 'a.txt': `${LINES}six\n` });
    const status = gitIn(path, 'status', '--porcelain');
    const { base, copy, files } = await engine.klaus.copies.diff(session.id);
    expect(base).toBe(git('rev-parse', 'HEAD~1'));
    expect(copy).toMatchObject({ session: session.id, state: 'changed', ahead: 1 });
    expect(files.map(({ path: name, change, added, removed }) => [name, change, added, removed])).toEqual([
      ['a.txt', 'modified', 1, 1],
      ['b.txt', 'deleted', 0, 1],
      ['bin.dat', 'created', 0, 0],
      ['empty.txt', 'created', 0, 0],
      ['new.txt', 'created', 1, 0],
      ['server.key', 'created', 1, 0],
    ]);
    expect(files[0]!.diff).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n one\n-two\n+TWO\n three\n four\n five\n');
    expect(files.at(-1)).toMatchObject({ isSecret: true, diff: null });
    expect(gitIn(path, 'status', '--porcelain')).toBe(status);
    rmSync(path, { recursive: true });
    await expect(engine.klaus.copies.diff(session.id)).rejects.toMatchObject(code('copy.missing'));
  });
});

describe('keep and discard', () => {
  test('keep after discard creates the branch of what was saved, and an ended copy says how it ended', async () => {
    const { session, path } = await open();
    put(path, { 'a.txt': 'kept\n' });
    const { saved } = await engine.klaus.copies.discard(session.id);
    expect(saved).toHaveLength(1);
    await expect(engine.klaus.copies.diff(session.id)).rejects.toMatchObject({
      ...code('copy.missing'),
      message: expect.stringContaining('discarded') as string,
    });
    const kept = await engine.klaus.copies.keep(session.id);
    expect(kept).toEqual({ session: session.id, branch: kept.branch, commit: git('rev-parse', saved[0]!), notes: [] });
    expect(git('show', `${kept.branch}:a.txt`)).toBe('kept');
    expect(await engine.klaus.copies.keep(session.id)).toEqual(kept);
    await expect(engine.klaus.copies.keep('nothing')).rejects.toMatchObject(code('copy.missing'));
  });

  test('keep creates the branch', async () => {
    const { session, path } = await open();
    put(path, { 'a.txt': 'kept\n' });
    const { branch } = await engine.klaus.copies.keep(session.id);
    expect(git('show', `${branch}:a.txt`)).toBe('kept');
    expect(git('for-each-ref', 'refs/klaus')).toBe('');
    expect([read('a.txt'), existsSync(path)]).toEqual([LINES, false]);
    expect(await endOf(session)).toMatchObject({ how: 'kept', commit: git('rev-parse', branch) });
  });

  test('discard saves uncommitted work; with force it does not', async () => {
    const one = await open();
    put(one.path, { 'new.txt': 'new\n' });
    const { saved } = await engine.klaus.copies.discard(one.session.id);
    expect(saved).toHaveLength(1);
    expect(git('show', `${saved[0]}:new.txt`)).toBe('new');
    expect(await endOf(one.session)).toMatchObject({ how: 'discarded' });
    const two = await open();
    commit(two.path, { 'new.txt': 'new\n' });
    expect(await engine.klaus.copies.discard(two.session.id, { force: true })).toMatchObject({ saved: [] });
    expect(existsSync(two.path)).toBe(false);
    expect(git('for-each-ref', '--format=%(refname)', 'refs/klaus').split('\n')).toEqual(saved);
  });

  test('saved work is deleted after 30 days, by prune alone', async () => {
    const { session, path } = await open();
    put(path, { 'new.txt': 'new\n' });
    const { saved } = await engine.klaus.copies.discard(session.id);
    const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
    const toRef = (day: string) => `refs/klaus/discarded/${day}/01234567/klaus/01234567`;
    for (const day of [days(29), days(31), '2020-01-01']) git('update-ref', toRef(day), 'HEAD');
    git('update-ref', 'refs/klaus/discarded/mine', 'HEAD');
    const old = [toRef('2020-01-01'), toRef(days(31))];
    const { copies } = engine.klaus;
    expect(await copies.prune(engine.place.workspace, { dryRun: true })).toEqual(old);
    expect(git('for-each-ref', 'refs/klaus').split('\n')).toHaveLength(5);
    expect(await copies.prune(engine.place.workspace)).toEqual(old);
    expect(git('for-each-ref', '--format=%(refname)', 'refs/klaus').split('\n')).toEqual([
      toRef(days(29)),
      ...saved,
      'refs/klaus/discarded/mine',
    ]);
    await expect(copies.prune(dirname(engine.place.workspace))).rejects.toMatchObject(code('copy.refused'));
  });

  test('a deleted folder: listed as gone, refused by merge, removed by discard', async () => {
    const { session, path } = await open();
    rmSync(path, { recursive: true });
    expect(await stateOf(session)).toBe('gone');
    await expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject(code('copy.missing'));
    await engine.klaus.copies.discard(session.id);
    expect(await engine.klaus.copies.list()).toEqual([]);
    expect(traces()).toEqual(['', '', expect.any(String)]);
    await expect(engine.klaus.copies.discard(session.id)).rejects.toMatchObject(code('copy.missing'));
  });

  test('a moved original: nothing is lost without force', async () => {
    const { session, path } = await open();
    commit(path, { 'a.txt': 'changed\n' });
    const moved = `${engine.place.workspace}-moved`;
    renameSync(engine.place.workspace, moved);
    expect(await stateOf(session)).toBe('unreadable');
    await expect(engine.klaus.copies.discard(session.id)).rejects.toMatchObject(code('copy.blocked'));
    renameSync(moved, engine.place.workspace);
    expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true });
  });

  test('the copies of deleted sessions are removed, and their work is saved', async () => {
    const { session, path } = await open();
    put(path, { 'new.txt': 'new\n' });
    await engine.klaus.clearSessions({ ids: [session.id] });
    expect(await engine.klaus.copies.list()).toEqual([]);
    const [ref] = git('for-each-ref', '--format=%(refname)', 'refs/klaus').split('\n');
    expect(git('show', `${ref}:new.txt`)).toBe('new');
  });

  test('two copies at once', { tags: ['long'] }, async () => {
    const copies = await Promise.all([open(), open()]);
    commit(copies[0].path, { 'a.txt': LINES.replace('one', 'ONE') });
    commit(copies[1].path, { 'a.txt': LINES.replace('five', 'FIVE') });
    const merged = await Promise.all(copies.map(({ session }) => engine.klaus.copies.merge(session.id)));
    expect(merged).toMatchObject([{ done: true }, { done: true }]);
    expect(read('a.txt')).toBe(LINES.replace('one', 'ONE').replace('five', 'FIVE'));
    expect(traces()).toEqual(['', '', expect.any(String)]);
  });
});

test('the pull request has the answer, the files and the branch', async () => {
  const { session, path } = await open();
  await session.prompt('Add a file');
  await session.advance();
  put(path, { 'new.txt': 'new\n' });
  const request = await engine.klaus.copies.pullRequest(session.id);
  expect(request).toMatchObject({ title: 'Add a file', target: 'main', commit: gitIn(path, 'rev-parse', 'HEAD') });
  expect(request.body).toContain('Done.');
  expect(request.body).toContain('- `new.txt`');
  expect(gitIn(path, 'status', '--porcelain')).toBe('');
});

test(
  'submodules: checked out from shared objects, and their commits arrive in the original',
  { tags: ['long'] },
  async () => {
    const library = join(dirname(engine.place.workspace), 'library');
    mkdirSync(library);
    gitIn(library, 'init', '-q', '-b', 'main');
    identify(library);
    commit(library, { 'lib.txt': 'lib\n' });
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'libs/one');
    git('commit', '-q', '-m', 'Add a submodule');
    const { session, path } = await open();
    const inner = join(path, 'libs/one');
    expect(gitIn(path, 'submodule', 'status')).toMatch(/^ \w+ libs\/one/);
    expect(readFileSync(join(inner, 'lib.txt'), 'utf8')).toBe('lib\n');
    put(inner, { 'lib.txt': 'changed\n' });
    expect(await stateOf(session)).toBe('changed');
    await expect(engine.klaus.copies.merge(session.id)).rejects.toMatchObject(code('copy.blocked'));
    identify(inner);
    gitIn(inner, 'commit', '-q', '-a', '-m', 'Change the library');
    expect(await engine.klaus.copies.merge(session.id)).toMatchObject({ done: true, submodules: ['libs/one'] });
    git('submodule', '--quiet', 'update');
    expect(read('libs/one/lib.txt')).toBe('changed\n');
    expect(git('status', '--porcelain')).toBe('');
  },
);
