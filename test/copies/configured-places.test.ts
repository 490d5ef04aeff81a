// Covers adapters/workspace/repositories/configured-places.ts, core/agent/places, core/agent/carried, sdk/copies: places that Git's configuration of the original names.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Session } from '@klaus/sdk';
import { afterEach, describe, expect, test as anyTest, vi } from 'vitest';
import { findConfiguredPlaces } from '@klaus/adapters/workspace';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';
import { toTagged } from '../fixtures/split-cases.ts';

const DOORS = ['merge', 'keep', 'pullRequest'] as const;

/** A configuration of the user that names a path of the tree, and that path. */
interface Named {
  /** True: a turn is tried too. */
  isTried?: true;
  name: string;
  path: string;
  config?: readonly string[];
  /** Content of the user's own configuration. */
  user?: string;
  /** Done in the repository of the user. */
  prepare?: (workspace: string) => void;
}

const NAMED: readonly Named[] = [
  {
    isTried: true,
    name: 'a folder of hooks',
    path: 'tools/hooks/pre-commit',
    config: ['core.hooksPath', 'tools/hooks'],
  },
  { name: 'the top as the folder of hooks', path: 'pre-commit', config: ['core.hooksPath', '.'] },
  {
    name: 'a folder of hooks by its absolute path',
    path: 'tools/hooks/pre-commit',
    prepare: (workspace) =>
      execFileSync('git', ['config', 'core.hooksPath', join(workspace, 'tools/hooks')], { cwd: workspace }),
  },
  {
    isTried: true,
    name: 'a link as the folder of hooks',
    path: 'scripts/pre-commit',
    config: ['core.hooksPath', 'tools/hooks'],
    prepare: (workspace) => {
      mkdirSync(join(workspace, 'tools'));
      symlinkSync('../scripts', join(workspace, 'tools/hooks'));
    },
  },
  {
    isTried: true,
    name: 'a folder of hooks of the user',
    path: 'tools/hooks/pre-push',
    user: '[core]\n\thooksPath = tools/hooks\n',
  },
  { name: 'a monitor', path: 'bin/monitor', config: ['core.fsmonitor', 'bin/monitor'] },
  { name: 'a filter', path: 'bin/clean.sh', config: ['filter.x.clean', 'sh bin/clean.sh %f'] },
  { name: 'a filter process', path: 'bin/process', config: ['filter.x.process', './bin/process'] },
  {
    isTried: true,
    name: 'a merge driver',
    path: 'bin/merge.py',
    config: ['merge.x.driver', 'python3 bin/merge.py %O %A %B'],
  },
  { name: 'a textconv program', path: 'bin/text.sh', config: ['diff.x.textconv', 'bin/text.sh'] },
  { name: 'an external diff', path: 'bin/diff', config: ['diff.external', 'bin/diff'] },
  { name: 'a credential helper', path: 'bin/login', config: ['credential.helper', '!bin/login'] },
  { name: 'a program of SSH', path: 'bin/ssh', config: ['core.sshCommand', 'bin/ssh -v'] },
  { name: 'a pager', path: 'bin/page.sh', config: ['pager.log', 'bin/page.sh | less'] },
  { name: 'an editor', path: 'bin/edit', config: ['core.editor', 'bin/edit'] },
  { name: 'an alias', path: 'bin/sync.sh', config: ['alias.s', '!sh "$(git rev-parse --show-toplevel)"/bin/sync.sh'] },
  { name: 'a program of GPG', path: 'bin/gpg', config: ['gpg.program', 'bin/gpg'] },
  { name: 'an included file', path: 'conf/git.conf', config: ['include.path', '../conf/git.conf'] },
  {
    name: 'an included file of one branch',
    path: 'conf/git.conf',
    config: ['includeIf.onbranch:x.path', '../conf/git.conf'],
  },
  {
    name: 'a program in an included file that does not apply now',
    path: 'bin/edit.sh',
    config: ['includeIf.onbranch:x.path', 'more'],
    prepare: (workspace) => writeFileSync(join(workspace, '.git/more'), '[sequence]\n\teditor = bin/edit.sh\n'),
  },
  { name: 'a file of attributes', path: 'conf/attributes', config: ['core.attributesFile', 'conf/attributes'] },
  { name: 'an update of a submodule', path: 'bin/update', config: ['submodule.x.update', '!bin/update'] },
  {
    isTried: true,
    name: 'a link among the hooks',
    path: 'scripts/check.sh',
    prepare: (workspace) => {
      mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
      symlinkSync('../../scripts/check.sh', join(workspace, '.git/hooks/pre-commit'));
    },
  },
  {
    name: 'a link in the folder of hooks',
    path: 'scripts/lint',
    config: ['core.hooksPath', 'tools/hooks'],
    prepare: (workspace) => {
      mkdirSync(join(workspace, 'tools/hooks'), { recursive: true });
      symlinkSync('../../scripts/lint', join(workspace, 'tools/hooks/pre-commit'));
    },
  },
];

function toScript(calls: readonly ToolCall[]): Script {
  return {
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      { when: { turn: 0 }, reply: { calls: [...calls] } },
    ],
    fallback: { text: 'Done.' },
  };
}

const git = ({ place }: TestEngine, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=User', '-c', 'user.email=user@localhost', ...words], {
    cwd: place.workspace,
    env: place.env,
    stdio: 'pipe',
  }).toString();

async function open(path: string, settings: Readonly<Record<string, unknown>> = {}): Promise<TestEngine> {
  return createTestEngine({
    script: toScript([{ name: 'run_command', input: { command: 'python3 change.py' } }]),
    settings: { 'sandbox.driver': 'bubblewrap', ...settings },
    files: { 'scripts/other.sh': 'true\n', 'change.py': toProgram(path) },
  });
}

/** Writes a program, and a file that shows that it ran. The gate sees neither name. */
const toProgram = (path: string): string => `import os
p = ${JSON.stringify(path)}
os.makedirs(os.path.dirname(p) or '.', exist_ok=True)
open(p, 'w').write('#!/bin/sh\\ntrue\\n')
os.chmod(p, 0o755)
open('done.txt', 'w').write('x')
`;

function configure(engine: TestEngine, { config, prepare, user }: Omit<Named, 'name' | 'path'>): void {
  const { workspace, home } = engine.place;
  prepare?.(workspace);
  if (config) git(engine, 'config', ...config);
  git(engine, 'add', '-A');
  git(engine, '-c', 'core.hooksPath=/dev/null', 'commit', '-q', '--allow-empty', '-m', 'Set up');
  if (user === undefined) return;
  writeFileSync(join(home, 'user.gitconfig'), user);
  vi.stubEnv('GIT_CONFIG_GLOBAL', join(home, 'user.gitconfig'));
}

async function run({ klaus }: TestEngine): Promise<Session> {
  const session = await klaus.open({ workingCopy: true });
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  return session;
}

afterEach(() => void vi.unstubAllEnvs());

describe('what the configuration of Git names is a protected place', () => {
  anyTest.each(NAMED)('$name', async (named) => {
    await using engine = await open(named.path);
    const { workspace } = engine.place;
    configure(engine, named);
    const places = await findConfiguredPlaces(workspace);
    const isPlace = (path: string): boolean => places.some((one) => path === one || path.startsWith(`${one}/`));
    expect({ places, isPlace: isPlace(named.path) }).toMatchObject({ isPlace: true });
    expect(['done.txt', 'change.py', 'scripts/other.sh', 'src/main.ts'].filter(isPlace)).toEqual(
      named.path.startsWith('scripts/pre') ? ['scripts/other.sh'] : [],
    );
  });

  anyTest('an ordinary configuration names nothing', async () => {
    await using engine = await open('x');
    const words = [
      ['core.editor', 'code --wait'],
      ['core.pager', 'less -F'],
      ['credential.helper', 'store'],
      ['credential.x.helper', 'store.sh'],
      ['alias.l', 'log --oneline'],
      ['filter.lfs.process', 'git-lfs filter-process'],
      ['filter.lfs.clean', 'git-lfs clean -- %f'],
      ['remote.origin.url', 'https://localhost/x/y.git'],
      ['core.sshCommand', 'ssh -i ~/.ssh/id'],
      ['user.name', 'scripts/other.sh'],
    ];
    for (const each of words) git(engine, 'config', ...each);
    expect(await findConfiguredPlaces(engine.place.workspace)).toEqual([]);
  });
});

anyTest('a repository inside, and a folder below the top, have their own places', async () => {
  await using engine = await open('x');
  const { workspace } = engine.place;
  git(engine, 'init', '-q', 'inner');
  git(engine, '-C', 'inner', 'config', 'core.hooksPath', 'hooks');
  git(engine, 'config', 'core.pager', 'sh scripts/page.sh');
  expect(await findConfiguredPlaces(workspace, ['inner'])).toEqual(['scripts/page.sh', 'inner/hooks']);
  expect(await findConfiguredPlaces(join(workspace, 'scripts'))).toEqual(['page.sh']);
  expect(await findConfiguredPlaces(join(workspace, 'missing'), ['x'])).toEqual([]);
});

describe('in a turn of a working copy, a command cannot change what the configuration of the original names', () => {
  const tried = Object.fromEntries(NAMED.filter(({ isTried }) => isTried).map((named) => [named.name, named]));
  for (const { name, value: named, tags } of toTagged(tried, 2))
    test(name, { tags }, async () => {
      await using engine = await open(named.path);
      configure(engine, named);
      const session = await run(engine);
      await engine.klaus.copies.merge(session.id);
      expect(readFileSync(join(engine.place.workspace, 'done.txt'), 'utf8')).toBe('x');
      expect(existsSync(join(engine.place.workspace, named.path))).toBe(false);
      expect(ofType(await Array.fromAsync(session.events()), 'workspace.restored')).not.toEqual([]);
    });
});

describe('content at such a place is not published', () => {
  const path = 'tools/hooks/pre-commit';
  const refuses = async (engine: TestEngine, session: string): Promise<void> => {
    for (const door of DOORS)
      await expect(engine.klaus.copies[door](session)).rejects.toMatchObject({ code: 'copy.blocked' });
    expect(git(engine, 'log', '--format=%H', '--all', '--', path)).toBe('');
  };

  test('without states of the workspace', async () => {
    await using engine = await open(path, { 'undo.enabled': false });
    configure(engine, { config: ['core.hooksPath', 'tools/hooks'] });
    const { id } = await run(engine);
    await refuses(engine, id);
    await engine.klaus.copies.discard(id);
    await expect(engine.klaus.copies.keep(id)).rejects.toMatchObject({ code: 'copy.blocked' });
  });

  test('after the user configured it during the session', async () => {
    await using engine = await open(path);
    configure(engine, {});
    const { id } = await run(engine);
    git(engine, 'config', 'core.hooksPath', 'tools/hooks');
    await refuses(engine, id);
    git(engine, 'config', '--unset', 'core.hooksPath');
    expect(await engine.klaus.copies.merge(id)).toMatchObject({ done: true });
  });

  test('from a folder below the top', async () => {
    await using engine = await open('x', { 'undo.enabled': false });
    configure(engine, { config: ['core.hooksPath', 'tools/hooks'] });
    const { workspace } = engine.place;
    const session = await engine.klaus.open({ workingCopy: true, workspace: join(workspace, 'scripts') });
    const [copy] = await engine.klaus.copies.list();
    mkdirSync(join(copy!.path, 'tools/hooks'), { recursive: true });
    writeFileSync(join(copy!.path, path), 'true\n');
    await refuses(engine, session.id);
  });

  anyTest('but the edits of the session that were allowed are', async () => {
    const edit: ToolCall = { name: 'write_file', input: { path: 'docs/a.sh', content: 'true\n' } };
    await using engine = await createTestEngine({ script: toScript([edit]), files: { 'a.txt': 'a\n' } });
    configure(engine, {});
    const { id } = await run(engine);
    git(engine, 'config', 'core.pager', 'sh docs/a.sh');
    expect(await engine.klaus.copies.merge(id)).toMatchObject({ done: true });
  });
});
