// Covers core/agent/places, core/policy/protected-places.ts: reverts at protected places.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Session } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';

const sh = (command: string): ToolCall => ({ name: 'run_command', input: { command } });

/** One entry for each turn of the model. An entry without calls ends a run. */
function toScript(turns: readonly (readonly ToolCall[])[]): Script {
  const steps: Script['steps'] = turns.map((calls, turn) => ({
    when: { turn },
    reply: calls.length > 0 ? { calls: [...calls] } : { text: 'Done.' },
  }));
  return {
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      ...steps,
      { when: { turn: turns.length }, reply: { text: 'Done.' } },
    ],
  };
}

function open(
  turns: readonly (readonly ToolCall[])[],
  files: Readonly<Record<string, string>> = {},
): Promise<TestEngine> {
  return createTestEngine({
    script: toScript(turns),
    settings: { 'sandbox.driver': 'bubblewrap' },
    files: { 'README.md': 'hello\n', ...files },
  });
}

async function run({ klaus }: TestEngine, onAsk: 'deny' | 'wait' = 'deny'): Promise<Session> {
  const session = await klaus.open();
  await session.prompt('go', { onAsk });
  await session.advance();
  return session;
}

function git({ place }: TestEngine, ...words: string[]): void {
  const who = ['-c', 'user.name=User', '-c', 'user.email=user@localhost'];
  execFileSync('git', [...who, ...words], { cwd: place.workspace, env: place.env, stdio: 'pipe' });
}

function read({ place }: TestEngine, path: string): string | undefined {
  const absolute = join(place.workspace, path);
  return existsSync(absolute) ? readFileSync(absolute, 'utf8') : undefined;
}

/** A branch of the user with a workflow. */
function makeBranch(engine: TestEngine, name: string): void {
  git(engine, 'checkout', '-q', '-b', name);
  execFileSync('mkdir', ['-p', join(engine.place.workspace, '.github/workflows')]);
  execFileSync('sh', ['-c', 'echo mine > .github/workflows/ci.yml'], { cwd: engine.place.workspace });
  git(engine, 'add', '-A');
  git(engine, 'commit', '-q', '-m', 'A workflow');
  git(engine, 'checkout', '-q', 'main');
}

const PLANT = `import os
os.makedirs('.github/workflows', exist_ok=True)
open('.github/workflows/ci.yml', 'w').write('theirs')
`;
const BACKGROUND = `import os, time
while not os.path.exists('go'): time.sleep(0.02)
open('.envrc', 'w').write('x')
for name in ('objects', 'refs'): os.makedirs('node_modules/x/.git/' + name)
open('node_modules/x/.git/HEAD', 'w').write('ref: refs/heads/main')
open('node_modules/x/.git/config', 'w').write('[core]\\n\\tfsmonitor = touch planted\\n')
open('done', 'w').write('x')
`;
const COMMIT = 'git -c user.name=A -c user.email=a@localhost';

describe('a change of a protected place by a command', () => {
  test('is reverted alone: other files of the same new folder are kept', async () => {
    const plant = `import os
os.makedirs('.zed')
os.makedirs('.vscode')
for name in ['.zed/settings.json', '.vscode/tasks.json', '.vscode/foo.txt', 'fine.txt']: open(name, 'w').write('x')
`;
    await using engine = await open([[sh('python3 plant.py')]], { 'plant.py': plant });
    const session = await run(engine);
    expect(read(engine, '.vscode/foo.txt')).toBe('x');
    expect(read(engine, 'fine.txt')).toBe('x');
    expect(read(engine, '.vscode/tasks.json')).toBeUndefined();
    expect(existsSync(join(engine.place.workspace, '.zed'))).toBe(false);
    expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
  });

  test('is reverted only in the scripts of package.json, and not in a new one', async () => {
    const text = '{\n\t"name": "a",\n\t"scripts": { "test": "node --test" }\n}\n';
    const program = `import json, os
package = json.load(open('package.json'))
package['scripts'] = {'test': 'true', 'postinstall': 'sh x'}
package['dependencies'] = {'left': '1.0.0'}
json.dump(package, open('package.json', 'w'), indent='\\t')
os.makedirs('app')
json.dump(package, open('app/package.json', 'w'))
`;
    await using engine = await open([[sh('python3 change.py')]], { 'package.json': text, 'change.py': program });
    const session = await run(engine);
    expect(JSON.parse(read(engine, 'package.json')!)).toEqual({
      name: 'a',
      scripts: { test: 'node --test' },
      dependencies: { left: '1.0.0' },
    });
    expect(JSON.parse(read(engine, 'app/package.json')!)).toMatchObject({ scripts: { test: 'true' } });
    expect(ofType(await Array.fromAsync(session.events()), 'workspace.restored')).toHaveLength(1);
    expect((await session.restore({ kind: 'undo', turn: 1 }, { by: 'test' })).done).toBe(true);
    expect(read(engine, 'package.json')).toBe(text);
  });

  test('is reverted in the scripts of package.json whose name gets another spelling', async () => {
    const package_ = '{"scripts":{"test":"vitest"}}\n';
    const rename = sh(
      'rm -f x; mv package.json Package.json; cp b.json Package.json; mv lib/package.json lib/PACKAGE.JSON',
    );
    const files = { 'package.json': package_, 'lib/package.json': package_, 'b.json': '{"scripts":{"test":"evil"}}\n' };
    await using engine = await open([[rename]], files);
    await run(engine);
    expect(read(engine, 'package.json')).toBe(package_);
    expect(read(engine, 'Package.json')).toBeUndefined();
    // The same scripts under another name run nothing else.
    expect(read(engine, 'lib/PACKAGE.JSON')).toBe(package_);
  });

  test('is reverted or asked about only if it is new, where its file is of daily work', async () => {
    const edit = (path: string): ToolCall => ({ name: 'write_file', input: { path, content: '[tox]\nenvlist = x\n' } });
    const turns = [[sh('printf x > noxfile.py; echo y > app/tox.ini')], [edit('app/tox.ini')], [edit('tox.ini')]];
    await using engine = await open(turns, { 'app/tox.ini': '[tox]\n' });
    const session = await run(engine);
    expect(read(engine, 'noxfile.py')).toBeUndefined();
    expect(read(engine, 'app/tox.ini')).toBe('[tox]\nenvlist = x\n');
    expect(read(engine, 'tox.ini')).toBeUndefined();
    const decided = ofType(await Array.fromAsync(session.events()), 'gate.decided');
    expect(decided.slice(0, 3).map(({ verdict }) => verdict)).toEqual(['allow', 'allow', 'ask']);
  });

  test('fails the run if it cannot be reverted, and the other places are still reverted', async () => {
    const plant = `import os
os.mkfifo('.mcp.json')
open('.envrc', 'w').write('x')
`;
    await using engine = await open([[sh('python3 plant.py')], [sh('echo never > never.txt')]], { 'plant.py': plant });
    const session = await run(engine);
    expect(read(engine, '.envrc')).toBeUndefined();
    expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({
      outcome: 'failed',
      error: { code: 'workspace.conflict', hint: expect.stringContaining('klaus undo') },
    });
    expect(ofType(await Array.fromAsync(session.events()), 'workspace.snapshotted').at(-1)).toMatchObject({
      unreverted: ['.mcp.json'],
    });
    expect(read(engine, 'never.txt')).toBeUndefined();
  });

  test('fails the run if it is a repository in a folder whose name is not UTF-8', async () => {
    const plant = `import os
for at in (b'new\\xff/.git', b'fine\\xff/a/b.git'):
    for name in (b'objects', b'refs'): os.makedirs(at + b'/' + name)
    open(at + b'/HEAD', 'w').write('ref: refs/heads/main')
    open(at + b'/config', 'w').write('[core]\\n\\tfsmonitor = touch planted\\n')
`;
    const many = 'for i in $(seq 30); do mkfifo p$i; done';
    await using engine = await open([[sh(many)], [sh('python3 plant.py')]], { 'plant.py': plant });
    const old = Buffer.from(`${engine.place.workspace}/old\xff/.git`, 'latin1');
    mkdirSync(old, { recursive: true });
    const session = await run(engine);
    const warned = ofType(await Array.fromAsync(session.events()), 'notice').filter(({ text }) =>
      text.includes('old\\xff/.git'),
    );
    expect(warned).toMatchObject([{ level: 'warn' }]);
    expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({
      outcome: 'failed',
      error: { code: 'workspace.conflict' },
    });
    expect(ofType(await Array.fromAsync(session.events()), 'workspace.snapshotted').at(-1)).toMatchObject({
      unreverted: ['fine\\xff/a/b.git/.git', 'new\\xff/.git'],
    });
  });

  test('is reverted if a background process makes it, in a turn or between two', async () => {
    const wait = 'i=0; while [ ! -e done ] && [ $i -lt 500 ]; do sleep 0.02; i=$((i+1)); done';
    await using engine = await open(
      [
        [{ name: 'run_command', input: { command: 'python3 background.py', background: true } }],
        [{ name: 'write_file', input: { path: 'go', content: 'x' } }],
        [sh(wait)],
      ],
      { 'background.py': BACKGROUND },
    );
    await run(engine);
    expect(read(engine, 'done')).toBe('x');
    expect(read(engine, '.envrc')).toBeUndefined();
    expect(read(engine, 'node_modules/x/.git/config')).not.toContain('fsmonitor');
    expect(existsSync(join(engine.place.workspace, 'node_modules/x/.git/HEAD'))).toBe(true);
  });

  test('is reported by the next run if a background process made it after the last turn', async () => {
    await using engine = await open(
      [
        [{ name: 'run_command', input: { command: 'python3 background.py', background: true } }],
        [sh('echo one > one')],
        [],
        [sh('echo two > two')],
      ],
      { 'background.py': BACKGROUND },
    );
    const session = await run(engine);
    writeFileSync(join(engine.place.workspace, 'go'), 'x');
    await expect.poll(() => read(engine, 'done'), { timeout: 30_000 }).toBe('x');
    await session.prompt('more', { onAsk: 'deny' });
    await session.advance();
    expect(read(engine, 'two')).toBe('two\n');
    const warnings = ofType(await Array.fromAsync(session.events()), 'notice').filter(({ level }) => level === 'warn');
    for (const path of ['.envrc', 'node_modules/x/.git/config'])
      expect(warnings.some(({ text }) => text.includes(path))).toBe(true);
  });
});

describe('paths that are protected because of a reference', () => {
  const cases: readonly {
    name: string;
    links?: Record<string, string>;
    files: Record<string, string>;
    config?: string[][];
    program: string;
  }[] = [
    {
      name: 'the target of a link at a protected place, through further links',
      links: {
        'AGENTS.md': 'CLAUDE.md',
        'CLAUDE.md': 'docs/guide.md',
        '.envrc': 'conf/env',
        'app/.vscode': '../editor',
      },
      files: { 'docs/guide.md': 'mine', 'conf/env': 'mine', 'editor/settings.json': 'mine' },
      program: `for name in ('docs/guide.md', 'conf/env', 'editor/settings.json', 'editor/tasks.json'): open(name, 'w').write('x')`,
    },
    {
      name: 'an included configuration whose folder is renamed',
      files: { 'conf/shared.gitconfig': '[user]\n\tname = U\n' },
      config: [['include.path', '../conf/shared.gitconfig']],
      program: `os.rename('conf', 'old'); os.mkdir('conf'); open('conf/shared.gitconfig', 'w').write('[core]\\n\\tfsmonitor = touch x\\n')`,
    },
    {
      name: 'a folder of hooks that is not there yet',
      links: { 'tools/link': 'target' },
      files: {},
      config: [['core.hooksPath', 'tools/hooks']],
      program: `os.rename('tools', 'old'); os.makedirs('tools/hooks'); open('tools/hooks/pre-commit', 'w').write('x')`,
    },
    {
      name: 'programs that the configuration of git names',
      links: { '.git/hooks/pre-commit': '../../tools/check.sh' },
      files: { 'tools/check.sh': 'true', 'tools/monitor.sh': 'true', 'tools/clean.sh': 'cat' },
      config: [
        ['core.fsmonitor', 'tools/monitor.sh'],
        ['filter.c.clean', 'sh tools/clean.sh "%f"'],
      ],
      program: `for name in ('check', 'monitor', 'clean'): open('tools/' + name + '.sh', 'w').write('x')`,
    },
  ];
  for (const [index, { name, links = {}, files, config = [], program }] of cases.entries()) {
    test(name, { tags: index < 2 ? [] : ['long'] }, async () => {
      await using engine = await open([[sh('python3 change.py')]], {
        ...files,
        'change.py': `import os\n${program}\nopen('ran', 'w').write('x')\n`,
      });
      const { workspace } = engine.place;
      for (const [path, target] of Object.entries(links)) {
        mkdirSync(dirname(join(workspace, path)), { recursive: true });
        symlinkSync(target, join(workspace, path));
      }
      for (const words of config) git(engine, 'config', ...words);
      const session = await run(engine);
      expect(read(engine, 'ran')).toBe('x');
      for (const [path, content] of Object.entries(files)) expect(read(engine, path)).toBe(content);
      for (const path of ['tools/hooks/pre-commit', 'editor/tasks.json']) expect(read(engine, path)).toBeUndefined();
      expect(ofType(await Array.fromAsync(session.events()), 'workspace.restored')).not.toEqual([]);
      expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
    });
  }

  test('an edit tool is asked about it', async () => {
    const edit = { name: 'write_file', input: { path: 'docs/guide.md', content: 'new' } };
    const look = { name: 'read_file', input: { path: 'docs/guide.md' } };
    await using engine = await open([[look], [edit]], { 'docs/guide.md': 'mine' });
    symlinkSync('docs/guide.md', join(engine.place.workspace, 'CLAUDE.md'));
    const session = await engine.klaus.open();
    await session.prompt('go', { onAsk: 'wait' });
    const parked = await session.advance();
    if (parked.state !== 'parked') throw new Error('no question');
    expect(parked.approvals[0]!.reason).toContain('docs/guide.md');
    await engine.klaus.answer(parked.approvals[0]!.approval, 'approved');
    await session.advance();
    expect(read(engine, 'docs/guide.md')).toBe('new');
    expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
  });

  test('a missing included file is not an error', async () => {
    const edit = { name: 'write_file', input: { path: 'docs/guide.md', content: 'new' } };
    const look = { name: 'read_file', input: { path: 'docs/guide.md' } };
    await using engine = await open([[look], [edit, sh('git status --short && echo two > two')]], {
      'docs/guide.md': 'mine',
    });
    git(engine, 'config', 'include.path', '../missing.gitconfig');
    await run(engine);
    expect(read(engine, 'docs/guide.md')).toBe('new');
    expect(read(engine, 'missing.gitconfig')).toBeUndefined();
    expect(read(engine, 'two')).toBe('two\n');
  });
});

describe('a background process that ends with the run', () => {
  test('leaves no changes of protected places and git, also by its reaction to SIGTERM', async () => {
    const program = `import os, signal, sys, time
def plant(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    open('.envrc', 'w').write('x')
    os.makedirs('.vscode', exist_ok=True)
    open('.vscode/tasks.json', 'w').write('x')
    os.remove('.git/HEAD')
    open('planted', 'w').write('x')
    sys.exit(0)
signal.signal(signal.SIGTERM, plant)
open('ready', 'w').write('x')
while True: time.sleep(60)
`;
    const wait = 'i=0; while [ ! -e ready ] && [ $i -lt 500 ]; do sleep 0.02; i=$((i+1)); done';
    await using engine = await createTestEngine({
      script: toScript([
        [{ name: 'run_command', input: { command: 'exec python3 late.py', background: true } }],
        [sh(wait)],
      ]),
      settings: { 'sandbox.driver': 'bubblewrap' },
      files: { 'README.md': 'hello\n', 'late.py': program },
      endProcesses: 'run',
    });
    const session = await run(engine);
    expect(read(engine, 'planted')).toBe('x');
    expect(read(engine, '.envrc')).toBeUndefined();
    expect(read(engine, '.vscode/tasks.json')).toBeUndefined();
    expect(read(engine, '.git/HEAD')).toBe('ref: refs/heads/main\n');
    expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
    expect(engine.klaus.processes(session.id)).toMatchObject([{ state: 'stopped' }]);
  });
});

describe('after HEAD moved', () => {
  for (const [name, command] of [
    ['a checkout', 'git checkout -q theme'],
    ['a merge', `${COMMIT} merge -q --no-ff -m merge theme`],
    ['a fast-forward', 'git merge -q --ff-only theme'],
    ['a checkout of its parent', 'git checkout -q --detach theme~1'],
  ] as const) {
    test(
      `what ${name} of the user's branch changed is kept, and the user is warned`,
      { tags: name === 'a merge' ? [] : ['long'] },
      async () => {
        await using engine = await open([[sh(command)]]);
        makeBranch(engine, 'theme');
        if (name === 'a checkout of its parent') {
          git(engine, 'checkout', '-q', 'theme');
          git(engine, 'commit', '-q', '--allow-empty', '-m', 'more');
          git(engine, 'checkout', '-q', 'main');
        }
        const session = await run(engine);
        expect(read(engine, '.github/workflows/ci.yml')).toBe('mine\n');
        expect(
          ofType(await Array.fromAsync(session.events()), 'notice').filter(({ level }) => level === 'warn'),
        ).toHaveLength(1);
        expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'done' });
      },
    );
  }

  test('differences from the commit are reverted, and so are changes by a commit of the session', async () => {
    await using engine = await open(
      [
        [sh('git checkout -q theme && python3 plant.py')],
        [sh('git checkout -q -b own && python3 plant.py'), sh('git add -A -f'), sh(`${COMMIT} commit -q -m own`)],
        [sh('git checkout -q main')],
        [sh('git checkout -q own')],
      ],
      { 'plant.py': PLANT },
    );
    makeBranch(engine, 'theme');
    await run(engine);
    expect(read(engine, '.github/workflows/ci.yml')).not.toBe('theirs');
  });

  test('a branch that the user created between two runs is accepted, and one of the session is not', async () => {
    const calls = (turn: number, command: string): Script['steps'][number] => ({
      when: { turn },
      reply: { calls: [sh(command)] },
    });
    const own = `git checkout -q -b own && python3 plant.py && git add -A -f && ${COMMIT} commit -q -m own && git checkout -q main`;
    await using engine = await createTestEngine({
      script: {
        steps: [
          { when: { tools: false }, reply: { text: 'A title' } },
          calls(0, own),
          calls(2, 'git checkout -q later'),
          calls(4, 'git checkout -q own'),
          { when: { user: '.' }, reply: { text: 'Done.' } },
        ],
      },
      settings: { 'sandbox.driver': 'bubblewrap' },
      files: { 'README.md': 'hello\n', 'plant.py': PLANT },
    });
    const session = await engine.klaus.open();
    const next = async (prompt: string): Promise<void> => {
      await session.prompt(prompt, { onAsk: 'deny' });
      await session.advance();
    };
    await next('first');
    makeBranch(engine, 'later');
    await next('second');
    expect(read(engine, '.github/workflows/ci.yml')).toBe('mine\n');
    await next('third');
    expect(read(engine, '.github/workflows/ci.yml')).not.toBe('theirs');
    // The branch of the session was removed at the end of its turn.
    expect(ofType(await Array.fromAsync(session.events()), 'tool.finished').map(({ outcome }) => outcome)).toEqual([
      'error',
      'ok',
      'error',
    ]);
  });
});

describe('an approval', () => {
  test('covers its own call, not what another call of the same turn changed', async () => {
    const plant = `open('CLAUDE.md', 'a').write('theirs')
open('.envrc', 'w').write('theirs')
`;
    const calls = [{ name: 'write_file', input: { path: 'CLAUDE.md', content: 'approved\n' } }, sh('python3 plant.py')];
    await using engine = await open([calls], { 'plant.py': plant });
    const session = await engine.klaus.open();
    await session.prompt('go', { onAsk: 'wait' });
    const parked = await session.advance();
    if (parked.state !== 'parked') throw new Error('no question');
    await engine.klaus.answer(parked.approvals[0]!.approval, 'approved');
    await session.advance();
    expect(read(engine, 'CLAUDE.md')).toBe('approved\n');
    expect(read(engine, '.envrc')).toBeUndefined();
  });

  test('of the network does not include protected places', async () => {
    const plant = `open('.envrc', 'w').write('theirs')
open('fine', 'w').write('x')
`;
    const call = { name: 'run_command', input: { command: 'python3 plant.py', network: true } };
    await using engine = await open([[call]], { 'plant.py': plant });
    const session = await engine.klaus.open();
    await session.prompt('go', { onAsk: 'wait' });
    const parked = await session.advance();
    if (parked.state !== 'parked') throw new Error('no question');
    await engine.klaus.answer(parked.approvals[0]!.approval, 'approved');
    await session.advance();
    expect(read(engine, 'fine')).toBe('x');
    expect(read(engine, '.envrc')).toBeUndefined();
  });
});
