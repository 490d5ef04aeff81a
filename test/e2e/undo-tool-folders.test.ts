// Covers core/agent/workspace/leave-tool-folders.ts, adapters/workspace/snapshots/scan: folders that tools rebuild.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Session } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { createTestEngine, type TestEngine } from '../fixtures/engine.ts';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const TAG = 'Signature: 8a477f597d28d172789f06886806bc55';
const SANDBOXED = { 'sandbox.driver': 'bubblewrap' };

/** Files of an installation, and sources beside it. */
const FILES = {
  'src/a.ts': 'a\n',
  'package.json': '{"name":"x"}\n',
  'package-lock.json': '{}\n',
  '.gitignore': 'node_modules\ntarget\n',
};

/** One prompt for each command. */
function script(...commands: string[]) {
  return {
    steps: commands.map((command, turn) => ({
      when: { turn: turn * 2 },
      reply: { calls: [{ name: 'run_command', input: { command } }] },
    })),
    fallback: { text: 'Done.' },
  };
}

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

const INSTALLED = {
  'node_modules/.package-lock.json': '{}\n',
  'node_modules/left/index.js': 'left 1\n',
  'node_modules/right/index.js': 'right 1\n',
};

async function open(
  commands: readonly string[],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<TestEngine> {
  const engine = await createTestEngine({
    script: script(...commands),
    files: FILES,
    settings: { ...SANDBOXED, ...settings },
  });
  put(engine.place.workspace, INSTALLED);
  return engine;
}

async function prompt(session: Session): Promise<void> {
  await session.prompt('go');
  await session.advance();
}

const read = ({ place }: TestEngine, path: string): string => readFileSync(join(place.workspace, path), 'utf8');

/** What an update of an installation does, and a change of a source. */
const UPDATE =
  'rm -r node_modules/right && echo left 2 > node_modules/left/index.js && mkdir node_modules/new && echo new > node_modules/new/index.js && echo b >> src/a.ts';

describe('a turn that changed sources and an installation', () => {
  test('undo restores the sources, leaves the installation, and names the command; so does redo', async () => {
    await using engine = await open([UPDATE]);
    const session = await engine.klaus.open();
    await prompt(session);
    const notRestored = [{ path: 'node_modules', command: 'npm ci' }];
    const planned = await session.restore({ kind: 'undo' }, { by: 'test', dryRun: true });
    expect(planned).toMatchObject({ done: false, conflicts: [], notRestored });
    expect(planned.changes.map(({ path }) => path)).toEqual(['src/a.ts']);
    const undone = await session.restore({ kind: 'undo' }, { by: 'test' });
    expect(undone).toMatchObject({ done: true, kept: [], notRestored });
    expect(read(engine, 'src/a.ts')).toBe('a\n');
    expect(read(engine, 'node_modules/left/index.js')).toBe('left 2\n');
    expect(readdirSync(join(engine.place.workspace, 'node_modules')).toSorted()).toEqual([
      '.package-lock.json',
      'left',
      'new',
    ]);
    const redone = await session.restore({ kind: 'redo' }, { by: 'test' });
    expect(redone).toMatchObject({ done: true, notRestored: [] });
    expect(read(engine, 'src/a.ts')).toBe('a\nb\n');
    expect(read(engine, 'node_modules/left/index.js')).toBe('left 2\n');
  });

  test('with undo.cover=all, undo restores both, and redo too', async () => {
    await using engine = await open([UPDATE], { 'undo.cover': 'all' });
    const session = await engine.klaus.open();
    await prompt(session);
    const undone = await session.restore({ kind: 'undo' }, { by: 'test' });
    expect(undone).toMatchObject({ done: true, notRestored: [] });
    for (const [path, content] of Object.entries(INSTALLED)) expect(read(engine, path)).toBe(content);
    expect(existsSync(join(engine.place.workspace, 'node_modules/new'))).toBe(false);
    await session.restore({ kind: 'redo' }, { by: 'test' });
    expect(read(engine, 'node_modules/new/index.js')).toBe('new\n');
    expect(existsSync(join(engine.place.workspace, 'node_modules/right'))).toBe(false);
  });

  test('one file of the installation is not restored, one of the sources is', async () => {
    await using engine = await open([UPDATE]);
    const session = await engine.klaus.open();
    await prompt(session);
    const revert = (path: string) => session.restore({ kind: 'file', path, turn: 1 }, { by: 'test' });
    expect(await revert('node_modules/left/index.js')).toMatchObject({
      done: true,
      changes: [],
      notRestored: [{ path: 'node_modules', command: 'npm ci' }],
    });
    expect(read(engine, 'node_modules/left/index.js')).toBe('left 2\n');
    expect(await revert('src/a.ts')).toMatchObject({ done: true, notRestored: [] });
    expect(read(engine, 'src/a.ts')).toBe('a\n');
  });

  test('the diff lists the files and says that their content is not stored', async () => {
    await using engine = await open([UPDATE]);
    const session = await engine.klaus.open();
    await prompt(session);
    const { changes, diff } = await session.turnChanges('all');
    expect(changes.map(({ path }) => path)).toContain('node_modules/left/index.js');
    expect(diff).toContain('node_modules/left/index.js: another content, 7 bytes become 7; the content is not stored');
    const file = { path: 'node_modules/left/index.js', side: 'before', maxBytes: 1_000 } as const;
    await expect(session.changedFile(file)).rejects.toMatchObject({ code: 'usage' });
  });
});

test('an undo leaves a folder that the turn made if it contains an installation, and a turn with nothing else is undone', async () => {
  const make =
    'mkdir -p app/node_modules/x app/src && echo "{}" > app/node_modules/.package-lock.json && echo x > app/node_modules/x/index.js && echo s > app/src/s.ts';
  await using engine = await open([make, 'echo left 3 > node_modules/left/index.js']);
  const session = await engine.klaus.open();
  await prompt(session);
  await prompt(session);
  const last = await session.restore({ kind: 'undo' }, { by: 'test' });
  expect(last).toMatchObject({ done: true, changes: [], notRestored: [{ path: 'node_modules', command: 'npm ci' }] });
  const first = await session.restore({ kind: 'undo' }, { by: 'test' });
  expect(first).toMatchObject({ done: true, notRestored: [{ path: 'app/node_modules', command: 'npm ci' }] });
  expect(readdirSync(join(engine.place.workspace, 'app'))).toEqual(['node_modules']);
  expect(read(engine, 'app/node_modules/x/index.js')).toBe('x\n');
});

test('a removed installation is named before and after the undo, and in a fork', async () => {
  await using engine = await open(['rm -rf node_modules && echo b >> src/a.ts']);
  const session = await engine.klaus.open();
  await prompt(session);
  const notRestored = [{ path: 'node_modules', command: 'npm ci' }];
  await engine.reopen();
  const { session: fork } = await engine.klaus.fork(session.id);
  expect(await fork.restore({ kind: 'undo' }, { by: 'test', dryRun: true })).toMatchObject({ notRestored });
  expect(await fork.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true, notRestored });
  expect(read(engine, 'src/a.ts')).toBe('a\n');
  expect(existsSync(join(engine.place.workspace, 'node_modules'))).toBe(false);
});

test('an edit tool changes an installed file: it is restored', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        {
          when: { turn: 0 },
          reply: {
            calls: [
              { name: 'write_file', input: { path: 'node_modules/left/index.js', content: 'patched\n' } },
              { name: 'write_file', input: { path: 'src/a.ts', content: 'patched\n' } },
            ],
          },
        },
      ],
      fallback: { text: 'Done.' },
    },
    files: FILES,
    settings: SANDBOXED,
  });
  put(engine.place.workspace, INSTALLED);
  const session = await engine.klaus.open();
  await prompt(session);
  expect(read(engine, 'node_modules/left/index.js')).toBe('patched\n');
  const { diff } = await session.turnChanges('all');
  expect(diff).toContain('-left 1');
  const undone = await session.restore({ kind: 'undo' }, { by: 'test' });
  expect(undone).toMatchObject({ done: true, notRestored: [] });
  expect(read(engine, 'node_modules/left/index.js')).toBe('left 1\n');
  expect(read(engine, 'src/a.ts')).toBe('a\n');
});

test('a command that moves and marks the sources, and deletes them later, cannot prevent the undo', async () => {
  const move = `mv src lib && echo '${TAG}' > lib/CACHEDIR.TAG`;
  await using engine = await open([
    move,
    'rm -r lib',
    `cp -r lib other && rm -r lib && echo '${TAG}' > other/CACHEDIR.TAG`,
  ]);
  const session = await engine.klaus.open();
  await prompt(session);
  put(engine.place.workspace, { 'lib/a.ts': 'changed by the user\n', 'lib/new.ts': 'new\n' });
  await prompt(session);
  expect(await session.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true, notRestored: [] });
  expect(read(engine, 'lib/a.ts')).toBe('changed by the user\n');
  await prompt(session);
  expect(await session.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true, notRestored: [] });
  expect(read(engine, 'lib/new.ts')).toBe('new\n');
});

test('a command marks the sources, changes them and removes the mark', async () => {
  const mark = `echo '${TAG}' > src/CACHEDIR.TAG`;
  await using engine = await open([
    `${mark} && echo b > src/a.ts && rm src/CACHEDIR.TAG`,
    `${mark} && echo c > src/a.ts`,
    'rm src/CACHEDIR.TAG && rm src/a.ts',
  ]);
  const session = await engine.klaus.open();
  for (let turn = 0; turn < 3; turn++) await prompt(session);
  for (const content of ['c\n', 'b\n', 'a\n']) {
    expect(await session.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true, notRestored: [] });
    expect(read(engine, 'src/a.ts')).toBe(content);
  }
});

test('a command that marks a folder of the user, and deletes its content later, cannot prevent the undo', async () => {
  const mark = `echo '${TAG}' > data/CACHEDIR.TAG && mkdir data/inner && echo '${TAG}' > data/inner/CACHEDIR.TAG && echo mine > data/inner/own`;
  await using engine = await open([mark, 'rm -r data']);
  put(engine.place.workspace, { 'data/database': 'rows\n', 'data/deep/notes': 'notes\n' });
  const session = await engine.klaus.open();
  await prompt(session);
  // The user works on.
  put(engine.place.workspace, { 'data/database': 'more rows\n', 'data/later': 'later\n' });
  await prompt(session);
  expect(existsSync(join(engine.place.workspace, 'data'))).toBe(false);
  const undone = await session.restore({ kind: 'undo' }, { by: 'test' });
  expect(undone).toMatchObject({ done: true, notRestored: [{ path: 'data/inner' }] });
  expect(read(engine, 'data/database')).toBe('more rows\n');
  expect(read(engine, 'data/deep/notes')).toBe('notes\n');
  expect(read(engine, 'data/later')).toBe('later\n');
});

test('changes of a reviewed command in an installation are applied and can be undone', async () => {
  await using engine = await open([UPDATE], { isolate: true });
  const session = await engine.klaus.open();
  await session.prompt('go', { onAsk: 'wait' });
  const asked = await session.advance();
  if (asked.state !== 'parked') throw new Error('no question');
  await engine.klaus.answer(asked.approvals[0]!.approval, 'approved');
  await session.advance();
  expect(read(engine, 'node_modules/left/index.js')).toBe('left 2\n');
  expect(read(engine, 'node_modules/new/index.js')).toBe('new\n');
  const undone = await session.restore({ kind: 'undo' }, { by: 'test' });
  expect(undone).toMatchObject({ done: true, notRestored: [] });
  expect(read(engine, 'node_modules/left/index.js')).toBe('left 1\n');
  expect(read(engine, 'node_modules/right/index.js')).toBe('right 1\n');
  expect(existsSync(join(engine.place.workspace, 'node_modules/new'))).toBe(false);
});

test(
  'the program: a build of 30 MB does not grow the state folder, and undo names the command',
  { timeout: 180_000 },
  async () => {
    const build = [
      'mkdir -p target/debug',
      `echo '${TAG}' > target/CACHEDIR.TAG`,
      'for i in $(seq 30); do head -c 1000000 /dev/urandom > target/debug/$i.o; done',
      'echo "fn main() {}" > src/main.rs',
    ].join(' && ');
    using place = createTestHome({
      'Cargo.toml': '[package]\nname = "x"\n',
      'src/main.rs': '',
      '.gitignore': 'target\n',
    });
    await using server = await startServer(script(build));
    const klaus = (...words: string[]) => runKlaus(words, { place, server, env: { KLAUS_SANDBOX: 'bubblewrap' } });
    const before = sizeOf(place.home);
    expect(await klaus('--approve', 'auto', 'build it')).toMatchObject({ code: 0 });
    expect(sizeOf(join(place.workspace, 'target'))).toBeGreaterThan(29_000_000);
    expect(sizeOf(join(place.home, 'snapshots')) - before).toBeLessThan(2_000_000);
    const planned = await klaus('undo', '--dry-run');
    expect(planned).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('target: rebuild it with `cargo build`'),
    });
    const { stdout } = await klaus('undo', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ done: true, notRestored: [{ path: 'target', command: 'cargo build' }] });
    expect(readFileSync(join(place.workspace, 'src/main.rs'), 'utf8')).toBe('');
    expect(readdirSync(join(place.workspace, 'target/debug'))).toHaveLength(30);
    const doctor = await klaus('doctor');
    expect(doctor.stdout).toMatch(/snapshots: \S+ \S+ for this workspace/);
  },
);

/** Bytes below a folder; 0 for a missing one. */
function sizeOf(folder: string): number {
  if (!existsSync(folder)) return 0;
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}
