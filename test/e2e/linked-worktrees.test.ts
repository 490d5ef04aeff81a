// Covers adapters/tools/git, sdk/open, core/agent/workspace: commits where the Git data is outside of the workspace.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createKlaus } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const AS = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'protocol.file.allow=always'];

interface Place {
  /** Runs git in a folder. */
  git: (cwd: string, ...args: string[]) => string;
  /** The folder of the test. */
  base: string;
  main: string;
}

type Make = (place: Place) => string;

const KINDS: Readonly<Record<string, Make>> = {
  'a linked worktree'({ git, main, base }) {
    git(main, 'worktree', 'add', '-q', join(base, 'wt'), '-b', 'wt');
    return join(base, 'wt');
  },
  'a submodule'({ git, main, base }) {
    mkdirSync(join(base, 'super'));
    git(join(base, 'super'), 'init', '-q');
    git(join(base, 'super'), ...AS, 'submodule', 'add', '-q', main, 'sub');
    return join(base, 'super/sub');
  },
  'a separate Git folder that names its working tree'({ git, main, base }) {
    git(base, 'clone', '-q', '--separate-git-dir', join(base, 'data'), main, join(base, 'apart'));
    git(join(base, 'apart'), 'config', 'core.worktree', join(base, 'apart'));
    return join(base, 'apart');
  },
};

async function open(
  calls: { name: string; input: Record<string, unknown> }[],
  make: Make,
  folders: (place: Place) => string[] = () => [],
) {
  const script = { steps: [{ when: { turn: 0 }, reply: { calls } }], fallback: { text: 'Done.' } };
  const engine: TestEngine = await createTestEngine({ script: script as never, files: { 'a.py': 'a = 1\n' } });
  const { workspace: main, env } = engine.place;
  const git: Place['git'] = (cwd, ...args) =>
    execFileSync('git', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
      .toString()
      .trim();
  const place = { git, main, base: dirname(main) };
  const folder = make(place);
  const klaus = await createKlaus({
    home: engine.place.home,
    cwd: folder,
    env,
    settings: {
      model: 'scripted/test',
      'sandbox.driver': 'bubblewrap',
      ...(folders(place).length > 0 ? { 'sandbox.folders': folders(place) } : {}),
    },
    scripted: async () => ({ url: engine.server.url }),
  });
  const session = await klaus.open();
  await session.prompt('go');
  await session.advance();
  const finished = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  return {
    finished,
    log: () => git(folder, 'log', '--format=%s'),
    status: () => git(folder, 'status', '--porcelain'),
    async [Symbol.asyncDispose]() {
      await klaus.close();
      await engine[Symbol.asyncDispose]();
    },
  };
}

const EDIT = { name: 'edit_file', input: { path: 'a.py', edits: [{ old: 'a = 1', new: 'a = 2' }] } };

describe.each(Object.entries(KINDS))('%s', (_name, make) => {
  test('git_commit commits', async () => {
    await using place = await open([EDIT, { name: 'git_commit', input: { message: 'Change', paths: ['a.py'] } }], make);
    expect(place.finished.map(({ outcome, output }) => [outcome, outcome === 'ok' ? '' : output])).toEqual([
      ['ok', ''],
      ['ok', ''],
    ]);
    expect([place.log(), place.status()]).toEqual(['Change\nBegin', '']);
  });
});

test('a commit of a command stays, also with the Git data as a writable folder', async () => {
  const commit = 'git -c user.name=a -c user.email=a@b commit -qam x';
  const calls = [EDIT, { name: 'run_command', input: { command: `${commit}; git log --format=%s` } }];
  await using place = await open(calls, KINDS['a linked worktree']!, ({ main }) => [`${join(main, '.git')}:rw`]);
  expect(place.finished.at(-1)).toMatchObject({ outcome: 'ok', output: expect.stringContaining('x\nBegin') });
  expect([place.log(), place.status()]).toEqual(['x\nBegin', '']);
});

test('Git data that names no working tree is refused with a way that works', async () => {
  const make: Make = ({ git, main, base }) => {
    git(base, 'clone', '-q', '--separate-git-dir', join(base, 'data'), main, join(base, 'apart'));
    return join(base, 'apart');
  };
  await using place = await open([{ name: 'git_commit', input: { message: 'Change', all: true } }], make);
  expect(place.finished[0]).toMatchObject({ outcome: 'error', output: expect.stringContaining('core.worktree') });
});

test('a call whose changes are reverted has failed, and its result names them', async () => {
  await using place = await open([{ name: 'run_command', input: { command: 'python3 plant.py' } }], ({ main }) => {
    const code = "import os; os.makedirs('.vscode'); open('.vscode/settings.json', 'w').write('{}')";
    writeFileSync(join(main, 'plant.py'), code);
    return main;
  });
  expect(place.finished[0]).toMatchObject({
    outcome: 'error',
    output: expect.stringContaining('.vscode/settings.json'),
  });
});
