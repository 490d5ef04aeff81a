// Covers core/agent/git, adapters/workspace/snapshots/git: undo and repair of Git data.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createScene, type Scene } from '../attack/scene.ts';
import { toUlid } from '@klaus/core/protocol';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';

interface Worked {
  engine: TestEngine;
  scene: Scene;
  session: Awaited<ReturnType<TestEngine['klaus']['open']>>;
}

async function work(source: string, before?: (scene: Scene) => void): Promise<Worked & AsyncDisposable> {
  const engine = await createTestEngine({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        {
          when: { turn: 0 },
          reply: { calls: [{ name: 'write_file', input: { path: 'step.sh', content: source } }] },
        },
        { when: { turn: 1 }, reply: { calls: [{ name: 'run_command', input: { command: 'sh step.sh' } }] } },
        { when: { turn: 2 }, reply: { text: 'Done.' } },
      ],
    },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  const scene = createScene(engine.place, engine.server);
  before?.(scene);
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  return { engine, scene, session, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

const COMMIT = 'git -c user.name=a -c user.email=a@b commit -q';

describe('undo --git', () => {
  test('a commit, a staged file, a new branch and a dropped stash are undone and redone', async () => {
    await using worked = await work(
      `echo b > b.txt; git add b.txt; ${COMMIT} -m agent; git branch extra; echo c > c.txt; git add c.txt; git update-ref -d refs/stash`,
      (scene) => {
        scene.write('README.md', 'stashed\n');
        scene.git('stash', 'push', '-q');
      },
    );
    const { scene, session } = worked;
    const after = scene.git('log', '--format=%s', '-1');
    expect(after).toBe('agent\n');
    expect(scene.tryGit('stash', 'list')).toBe('');
    const planned = await session.restore({ kind: 'undo', turn: 2, git: true }, { by: 'test', dryRun: true });
    expect(planned.git.refs.map(({ name }) => name).sort()).toEqual([
      'refs/heads/extra',
      'refs/heads/main',
      'refs/stash',
    ]);
    expect(scene.git('log', '--format=%s', '-1')).toBe('agent\n');
    const undone = await session.restore({ kind: 'undo', turn: 2, git: true }, { by: 'test' });
    expect(undone.done).toBe(true);
    expect(scene.git('log', '--format=%s', '-1')).toBe('Begin\n');
    expect(scene.git('branch', '--format=%(refname:short)')).toBe('main\n');
    expect(scene.git('stash', 'list')).toContain('stash@{0}');
    expect(scene.git('status', '--porcelain')).toBe('?? step.sh\n');
    expect((await session.restore({ kind: 'redo' }, { by: 'test' })).done).toBe(true);
    expect(scene.git('log', '--format=%s', '-1')).toBe('agent\n');
    expect(scene.git('branch', '--format=%(refname:short)')).toContain('extra');
    expect(scene.git('fsck', '--strict')).not.toContain('missing');
  });

  test('an undo without git of a session that changed only refs names them', async () => {
    await using engine = await createTestEngine({
      script: {
        steps: [{ reply: { calls: [{ name: 'run_command', input: { command: 'git branch extra' } }] } }],
        fallback: { text: 'Done.' },
      },
      settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto', checkpoint: 'manual' },
    });
    createScene(engine.place, engine.server);
    const session = await engine.klaus.open();
    await session.prompt('go', { onAsk: 'deny' });
    await session.advance();
    await expect(session.restore({ kind: 'undo' }, { by: 'test' })).rejects.toMatchObject({
      code: 'undo.nothing',
      hint: expect.stringContaining('refs/heads/extra'),
    });
    expect((await session.restore({ kind: 'undo', git: true }, { by: 'test' })).done).toBe(true);
  });

  test(
    'a HEAD that was removed later is restored, and an unchanged ref is not listed',
    { tags: ['long'] },
    async () => {
      await using worked = await work(`echo b > b.txt; git add b.txt; ${COMMIT} -m agent`);
      const { scene, session } = worked;
      scene.git('branch', 'mine');
      rmSync(scene.path('.git/HEAD'));
      const undone = await session.restore(
        { kind: 'undo', turn: 2, git: true },
        { by: 'test', conflicts: 'overwrite' },
      );
      expect(undone.done).toBe(true);
      expect(undone.git.refs.map(({ name }) => name).sort()).toEqual(['HEAD', 'refs/heads/main']);
      expect(scene.git('log', '--format=%s', '-1')).toBe('Begin\n');
      expect(scene.git('branch', '--list', 'mine')).toContain('mine');
    },
  );

  test('without --git commits are kept', async () => {
    await using worked = await work(`echo b > b.txt; git add b.txt; ${COMMIT} -m agent`);
    const { scene, session } = worked;
    expect((await session.restore({ kind: 'undo', turn: 2 }, { by: 'test' })).done).toBe(true);
    expect(scene.git('log', '--format=%s', '-1')).toBe('agent\n');
    expect(scene.has('b.txt')).toBe(false);
  });

  test('after an undo of the files alone, git is undone, and both are redone one after the other', async () => {
    await using worked = await work(
      `git stash drop -q; git -c user.name=a -c user.email=a@b notes add -m n; echo b > b.txt; git add b.txt; ${COMMIT} -m agent; git checkout -q --detach`,
      (scene) => {
        scene.write('README.md', 'stashed\n');
        scene.git('stash', 'push', '-q');
      },
    );
    const { scene, session } = worked;
    const undo = (git: boolean) => session.restore({ kind: 'undo', git }, { by: 'test' });
    const first = await undo(false);
    expect(first.git.left.map(({ name }) => name).sort()).toEqual([
      'HEAD',
      'refs/heads/main',
      'refs/notes/commits',
      'refs/stash',
    ]);
    expect(scene.git('log', '--format=%s', '-1')).toBe('agent\n');
    const second = await undo(true);
    expect(second.git.refs.map(({ name }) => name).sort()).toEqual(first.git.left.map(({ name }) => name).sort());
    expect(second.git.left).toEqual([]);
    expect(scene.git('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
    expect(scene.git('log', '--format=%s', '-1')).toBe('Begin\n');
    expect(scene.git('stash', 'list')).toContain('stash@{0}');
    expect(scene.tryGit('notes', 'list')).toBe('');
    await expect(undo(true)).rejects.toMatchObject({ code: 'undo.nothing' });
    await session.restore({ kind: 'redo' }, { by: 'test' });
    expect(scene.git('log', '--format=%s', '-1')).toBe('agent\n');
    expect(scene.has('b.txt')).toBe(false);
    expect((await undo(true)).done).toBe(true);
    expect(scene.git('log', '--format=%s', '-1')).toBe('Begin\n');
    await session.restore({ kind: 'redo' }, { by: 'test' });
    await session.restore({ kind: 'redo' }, { by: 'test' });
    expect(scene.has('b.txt')).toBe(true);
    expect((await undo(true)).done).toBe(true);
    expect([scene.has('b.txt'), scene.git('log', '--format=%s', '-1')]).toEqual([false, 'Begin\n']);
  });

  test('a branch that the user moved later is a conflict, and nothing is changed', { tags: ['long'] }, async () => {
    await using worked = await work(`echo b > b.txt; git add b.txt; ${COMMIT} -m agent`);
    const { scene, session } = worked;
    scene.git('commit', '-q', '--allow-empty', '-m', 'mine');
    const refused = await session.restore({ kind: 'undo', turn: 2, git: true }, { by: 'test' });
    expect(refused.done).toBe(false);
    expect(refused.done ? [] : refused.conflicts.map(({ path }) => path)).toContain('.git/refs/heads/main');
    expect(scene.has('b.txt')).toBe(true);
    const forced = await session.restore({ kind: 'undo', turn: 2, git: true }, { by: 'test', conflicts: 'overwrite' });
    expect(forced.done).toBe(true);
    expect(scene.git('log', '--format=%s', '-1')).toBe('Begin\n');
  });

  test('an index in which git only refreshed times is not a conflict', { tags: ['long'] }, async () => {
    await using worked = await work(`echo b > b.txt; git add b.txt`);
    const { scene, session } = worked;
    writeFileSync(join(scene.workspace, 'b.txt'), 'b\n');
    scene.git('update-index', '--refresh');
    expect((await session.restore({ kind: 'undo', turn: 2, git: true }, { by: 'test' })).done).toBe(true);
    expect(scene.git('ls-files')).not.toContain('b.txt');
  });
});

describe('repositories that a command moved', () => {
  test('come back with objects, refs and index, and a redo moves them again', async () => {
    const log = (scene: Scene, path: string): string => scene.git('-C', scene.path(path), 'log', '--format=%s');
    await using worked = await work('mkdir x && mv lib x/', (scene) => {
      scene.write('lib/a.txt', 'a\n');
      scene.git('init', '-q', '-b', 'main', 'lib');
      scene.git('-C', scene.path('lib'), 'add', '-A');
      scene.git('-C', scene.path('lib'), 'commit', '-qm', 'unpushed work');
    });
    const { scene, session } = worked;
    const events = await Array.fromAsync(session.events());
    expect(ofType(events, 'notice')).toEqual([]);
    expect(scene.has('lib/.git')).toBe(false);
    expect((await session.restore({ kind: 'undo' }, { by: 'test' })).done).toBe(true);
    expect([log(scene, 'lib'), scene.has('x')]).toEqual(['unpushed work\n', false]);
    expect((await session.restore({ kind: 'redo' }, { by: 'test' })).done).toBe(true);
    expect([log(scene, 'x/lib'), scene.has('lib')]).toEqual(['unpushed work\n', false]);
    expect((await session.restore({ kind: 'undo', git: true }, { by: 'test' })).done).toBe(true);
    expect(scene.git('-C', scene.path('lib'), 'status', '--porcelain')).toBe('');
    expect(scene.git('-C', scene.path('lib'), 'fsck', '--strict')).toBe('');
  });
});

describe('repositories that a turn created', () => {
  test('undo removes them, and a redo restores them with their objects', async () => {
    await using worked = await work(
      `mkdir -p node_modules/x && cd node_modules/x && git init -q && echo a > a && git add a && ${COMMIT} -m inner`,
    );
    const { scene, session } = worked;
    const nested = scene.path('node_modules/x');
    expect(scene.git('-C', nested, 'log', '--format=%s')).toBe('inner\n');
    expect((await session.restore({ kind: 'undo', turn: 2 }, { by: 'test' })).done).toBe(true);
    expect(existsSync(join(nested, '.git'))).toBe(false);
    expect((await session.restore({ kind: 'redo' }, { by: 'test' })).done).toBe(true);
    expect(scene.git('-C', nested, 'log', '--format=%s')).toBe('inner\n');
    expect(scene.git('-C', nested, 'fsck')).not.toContain('missing');
  });

  for (const { cases, tags } of splitCases(
    [
      ['zeros', 'head -c 4096 /dev/zero'],
      ['one line that is none', 'cat .git/packed-refs; echo junk'],
      ['an end that is missing', 'head -c 70 .git/packed-refs'],
      ['nothing', 'true'],
    ],
    1,
  ))
    test.each(cases)('a list of packed refs that holds %s is repaired', { tags }, async (_, content) => {
      await using worked = await work(`(${content}) > list; cat list > .git/packed-refs`, (place) => {
        place.git('tag', 'v1');
        place.git('pack-refs', '--all');
      });
      const { scene } = worked;
      expect(scene.git('tag')).toBe('v1\n');
      expect(scene.git('log', '--format=%s', 'main')).toBe('Begin\n');
    });

  test('damage by a command is repaired at the end of the turn, with a notice', { tags: ['long'] }, async () => {
    await using worked = await work('rm -rf .git/objects .git/refs; echo junk > .git/HEAD');
    const { scene, session } = worked;
    expect(scene.git('log', '--format=%s')).toBe('Begin\n');
    expect(scene.git('fsck')).not.toContain('missing');
    const events = await Array.fromAsync(session.events());
    expect(events.some((event) => event.type === 'notice' && event.level === 'warn')).toBe(true);
    expect(events.some((event) => event.type === 'workspace.restored' && event.git !== undefined)).toBe(true);
  });
});

test('steps of a rebase that run programs are removed if a command wrote them, and the user’s own are kept', async () => {
  const todo = '.git/rebase-merge/git-rebase-todo';
  for (const own of ['', 'exec make check\npick 1234567 one\n']) {
    await using worked = await work(
      `mkdir -p .git/rebase-merge; printf 'exec touch planted\nx touch planted\nexec make check\nbreak\n' >> ${todo}`,
      (scene) => {
        if (own !== '') scene.write(todo, own);
      },
    );
    const made = own === '' ? 'break\n' : `${own}break\n`;
    expect(readFileSync(join(worked.engine.place.workspace, todo), 'utf8')).toBe(made);
    expect(ofType(await Array.fromAsync(worked.session.events()), 'workspace.restored')).toHaveLength(1);
  }
});

describe('branches that a command deletes', () => {
  // In a script, because the gate asks about commands that delete a branch.
  const deleteAll = `for ref in $(git for-each-ref --format='%(refname)' refs/heads); do git update-ref -d $ref; done`;

  for (const [name, source] of [
    ['return', deleteAll],
    ['return where tags name their commits', `git tag one; git tag two topic; ${deleteAll}`],
    ['return where they were packed', `git pack-refs --all; ${deleteAll}`],
  ] as const) {
    test(name, async () => {
      await using worked = await work(source, makeTopic);
      expect(branchesOf(worked)).toEqual(['main', 'topic']);
      expect(worked.scene.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('main\n');
      expect(
        ofType(await Array.fromAsync(worked.session.events()), 'notice').filter(({ level }) => level === 'warn'),
      ).toHaveLength(1);
    });
  }

  for (const [name, source, expected] of [
    ['renamed', 'git branch -m topic other', ['main', 'other']],
    ['merged', 'git merge -q --ff-only topic; git branch -d topic', ['main']],
    ['on a remote', 'git update-ref refs/remotes/origin/topic topic; git update-ref -d refs/heads/topic', ['main']],
  ] as const) {
    test(`stay deleted if they are ${name}`, { tags: ['long'] }, async () => {
      await using worked = await work(source, makeTopic);
      expect(branchesOf(worked)).toEqual(expected);
    });
  }

  function makeTopic(scene: Scene): void {
    scene.git('checkout', '-q', '-b', 'topic');
    scene.git('commit', '-q', '--allow-empty', '-m', 'more');
    scene.git('checkout', '-q', 'main');
  }

  function branchesOf({ scene }: Worked): string[] {
    return scene.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').trimEnd().split('\n');
  }
});

test('only checkpoints that no session needs are deleted on request', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [{ reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] } }],
      fallback: { text: 'Done.' },
    },
    settings: { 'sandbox.driver': 'bubblewrap', 'undo.keepDays': 0 },
  });
  const scene = createScene(engine.place, engine.server);
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  const own = `refs/klaus/checkpoints/${session.id}`;
  const young = `refs/klaus/checkpoints/${toUlid(Date.now() + 3_600_000, new Uint8Array(10))}`;
  for (const ref of [young, 'refs/klaus/checkpoints/other']) scene.git('update-ref', ref, 'HEAD');
  const list = (): string[] =>
    scene.git('for-each-ref', '--format=%(refname)', 'refs/klaus').split('\n').filter(Boolean).sort();
  expect(list()).toContain(own);
  expect((await engine.klaus.collectGarbage()).workspaces).toMatchObject([{ checkpoints: 1 }]);
  expect(list()).toContain(own);
  expect((await engine.klaus.collectGarbage({ dryRun: false })).workspaces).toMatchObject([{ checkpoints: 1 }]);
  expect(list()).toEqual([young, 'refs/klaus/checkpoints/other'].sort());
});
