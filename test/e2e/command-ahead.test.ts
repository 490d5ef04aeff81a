// Covers core/agent/calls, adapters/sandboxes/bubblewrap: prestarted sandboxes leave no trace.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { createScene } from '../attack/scene.ts';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** Long enough for a sandbox to be ready before the answer. */
const SLOWLY = { chunk: 4, pace: 80 };
const TEXT = 'I think about it first.';
const COMMIT = 'git -c user.name=a -c user.email=a@b commit -qam agent';

for (const { cases, tags } of splitCases(
  [
    { name: 'with hooks and settings', bare: false },
    { name: 'without', bare: true },
  ],
  1,
))
  test.for(cases)('a slow answer, a command, and an undo of git: a repository $name', { tags }, async ({ bare }) => {
    await using engine = await createTestEngine({
      script: {
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          {
            when: { turn: 0 },
            ...SLOWLY,
            reply: {
              text: TEXT,
              calls: [{ name: 'run_command', input: { command: `echo b > README.md; ${COMMIT}` } }],
            },
          },
          {
            when: { turn: 1 },
            ...SLOWLY,
            reply: { text: TEXT, calls: [{ name: 'read_file', input: { path: 'README.md' } }] },
          },
          { when: { turn: 2 }, reply: { text: 'Done.' } },
        ],
      },
      settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
    });
    const scene = createScene(engine.place, engine.server);
    const at = (path: string) => join(engine.place.workspace, path);
    if (bare) for (const path of ['hooks', 'info']) rmSync(at(`.git/${path}`), { recursive: true, force: true });
    const before = readdirSync(at('.git')).sort();
    const session = await engine.klaus.open();
    await session.prompt('go', { onAsk: 'deny' });
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'run.finished').at(-1)).toMatchObject({ outcome: 'done' });
    expect(scene.git('log', '--format=%s', '-1')).toBe('agent\n');
    const left = () =>
      readdirSync(at('.git')).filter(
        (name) => !before.includes(name) && !/^(?:COMMIT_EDITMSG|logs|info|refs|klaus.*)$/.test(name),
      );
    expect(left()).toEqual([]);
    expect(existsSync(at('.klaus'))).toBe(false);
    const planned = await session.restore({ kind: 'undo', turn: 1, git: true }, { by: 'test', dryRun: true });
    expect(planned.changes.map(({ path }) => path)).toEqual(['README.md']);
    await session.restore({ kind: 'undo', turn: 1, git: true }, { by: 'test' });
    expect(scene.git('log', '--format=%s', '-1')).not.toBe('agent\n');
    expect(left()).toEqual([]);
    expect(scene.git('status', '--short')).toBe('');
  });

test(
  'a slow answer and a command that changes nothing: the states are equal, and there is no checkpoint',
  { tags: ['long'] },
  async () => {
    await using engine = await createTestEngine({
      script: {
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          {
            when: { turn: 0 },
            ...SLOWLY,
            reply: { text: TEXT, calls: [{ name: 'run_command', input: { command: 'ls -A . .git' } }] },
          },
          { when: { turn: 1 }, reply: { text: 'Done.' } },
        ],
      },
      settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
    });
    createScene(engine.place, engine.server);
    rmSync(join(engine.place.workspace, '.git/hooks'), { recursive: true, force: true });
    const session = await engine.klaus.open();
    await session.prompt('go', { onAsk: 'deny' });
    await session.advance();
    const [before, after] = ofType(await Array.fromAsync(session.events()), 'workspace.snapshotted');
    // The placeholders of the sandbox exist while the command runs.
    expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')[0]?.output).toMatch(
      /^\.klaus$[\s\S]*^commondir$[\s\S]*^hooks$/m,
    );
    expect(after).toMatchObject({ moment: 'after', tree: before?.tree, gitTree: before?.gitTree });
    expect(ofType(await Array.fromAsync(session.events()), 'workspace.committed')).toEqual([]);
  },
);

test('the state of the workspace is read while the model answers', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        {
          when: { turn: 0 },
          chunk: 1,
          pace: 200,
          reply: { text: TEXT, calls: [{ name: 'run_command', input: { command: 'true' } }] },
        },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
      ],
    },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  createScene(engine.place, engine.server);
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'deny' });
  const run = session.advance();
  const folder = join(engine.place.home, 'snapshots');
  const isSeen = () =>
    (existsSync(folder) ? readdirSync(folder) : []).some((name) => {
      const file = join(folder, name, 'snapshots.db');
      if (!existsSync(file)) return false;
      using database = new DatabaseSync(file, { readOnly: true });
      return (database.prepare('SELECT count(*) AS count FROM seen').get() as { count: number }).count > 0;
    });
  await expect.poll(isSeen, { timeout: 30_000 }).toBe(true);
  expect(ofType(await Array.fromAsync(session.events()), 'turn.finished')).toEqual([]);
  await run;
  expect(ofType(await Array.fromAsync(session.events()), 'run.finished').at(-1)).toMatchObject({ outcome: 'done' });
});
