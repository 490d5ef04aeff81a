import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createFolder, type Folder } from '../fixtures/folder.ts';
import { createSnapshots } from '../create-snapshots.ts';
import type { LocalSnapshots } from '../local-snapshots.ts';
import { listSnapshotStores } from '../snapshot-stores.ts';

const TAG = 'Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n';

function open(folder: Folder, cover: 'sources' | 'all' = 'sources'): Promise<LocalSnapshots> {
  return createSnapshots(folder.root, { stateDir: folder.stateDir, cover });
}

async function isStored(snapshots: LocalSnapshots, tree: string, path: string): Promise<boolean> {
  const entry = await snapshots.entry(tree, path);
  // Every state lists the file.
  expect(entry).toBeDefined();
  return snapshots.isStored(entry!);
}

function git(folder: Folder, ...command: string[]): void {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main'];
  execFileSync('git', [...own, '-C', folder.root, ...command], { stdio: 'ignore' });
}

afterEach(() => void vi.useRealTimers());

/** From now on, the files are old enough to be known without another look. */
function letTimePass(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
}

describe('a folder with the marker of a tool is listed and not stored', () => {
  test.each([
    ['target', 'CACHEDIR.TAG', TAG],
    ['target', '.rustc_info.json', '{}'],
    ['.venv', 'pyvenv.cfg', 'home = /usr/bin\n'],
    ['node_modules', '.package-lock.json', '{}'],
    ['node_modules', '.yarn-integrity', '{}'],
    ['node_modules', '.yarn-state.yml', ''],
    ['packages/a/node_modules', '.modules.yaml', ''],
  ])('%s/%s', async (name, marker, content) => {
    using folder = createFolder();
    using snapshots = await open(folder);
    folder.write(`${name}/${marker}`, content);
    folder.write(`${name}/deep/large.bin`, randomBytes(3_000_000));
    folder.write('src/a.ts', 'source\n');
    folder.write('.env', 'KEY=1\n');
    const tree = await snapshots.snapshot();
    expect(await isStored(snapshots, tree, `${name}/deep/large.bin`)).toBe(false);
    expect(await isStored(snapshots, tree, 'src/a.ts')).toBe(true);
    expect(await isStored(snapshots, tree, '.env')).toBe(true);
    expect(snapshots.toolFolders()).toEqual([{ path: name, isActive: true }]);
    expect(listSnapshotStores(folder.stateDir)[0]!.bytes).toBeLessThan(1_000_000);
    // A change is still seen.
    writeFileSync(join(folder.root, `${name}/deep/large.bin`), randomBytes(3_000_000));
    const after = await snapshots.snapshot();
    expect(await snapshots.changes(tree, after)).toMatchObject([{ path: `${name}/deep/large.bin`, kind: 'modified' }]);
  });
});

describe('other folders are stored', () => {
  test.each([
    ['a tag without the signature', 'cache/CACHEDIR.TAG', 'Signature: other\n', 'cache'],
    ['a marker of another folder', 'vendor/.package-lock.json', '{}', 'vendor'],
    ['a marker in the root', 'CACHEDIR.TAG', TAG, 'any'],
    ['a folder that only Git ignores', '.gitignore', 'ignored\n', 'ignored'],
  ])('%s', async (_, marker, content, name) => {
    using folder = createFolder();
    using snapshots = await open(folder);
    folder.write(marker, content);
    folder.write(`${name}/file`, 'content');
    folder.write(`${name}/.env`, 'KEY=1');
    const tree = await snapshots.snapshot();
    expect(await isStored(snapshots, tree, `${name}/file`)).toBe(true);
    expect(await isStored(snapshots, tree, `${name}/.env`)).toBe(true);
    expect(snapshots.toolFolders()).toEqual([]);
  });

  test.each([
    ['a link', 'ln -s ../tag CACHEDIR.TAG'],
    ['a link to itself', 'ln -s CACHEDIR.TAG CACHEDIR.TAG'],
    ['a folder', 'mkdir -p CACHEDIR.TAG/x pyvenv.cfg .rustc_info.json'],
    ['a named pipe', 'mkfifo CACHEDIR.TAG pyvenv.cfg'],
    ['an empty file', 'touch CACHEDIR.TAG'],
  ])('%s in the place of a marker', async (_, command) => {
    using folder = createFolder();
    using snapshots = await open(folder);
    folder.write('tag', TAG);
    folder.write('data/file', 'content');
    execFileSync('sh', ['-c', command], { cwd: join(folder.root, 'data') });
    expect(await isStored(snapshots, await snapshots.snapshot(), 'data/file')).toBe(true);
  });

  test.each([
    ['sources beside the files of a virtual environment', ['app/pyvenv.cfg', 'app/main.py']],
    ['a project in a virtual environment', ['app/pyvenv.cfg', 'app/pyproject.toml']],
    ['a project in a marked folder', ['app/CACHEDIR.TAG', 'app/package.json']],
    ['a crate that is its own target', ['app/.rustc_info.json', 'app/src/main.rs']],
  ])('%s', async (_, paths) => {
    using folder = createFolder();
    using snapshots = await open(folder);
    for (const path of paths) folder.write(path, TAG);
    folder.write('app/lib/own', 'own');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'app/lib/own')).toBe(true);
  });

  test.each([
    ['version 2', []],
    ['version 4', ['update-index', '--index-version', '4']],
    ['a split index', ['update-index', '--split-index']],
  ])('a folder with a tracked file, %s', async (_, command) => {
    using folder = createFolder();
    using snapshots = await open(folder);
    git(folder, 'init', '-q');
    folder.write('data/CACHEDIR.TAG', TAG);
    folder.write('data/file', 'content');
    git(folder, 'add', 'data/file');
    if (command.length > 0) git(folder, ...command);
    folder.write('data/new', 'new');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'data/new')).toBe(true);
  });

  test('a folder that a linked worktree tracks, and one that the repository above the workspace tracks', async () => {
    using folder = createFolder();
    git(folder, 'init', '-q');
    folder.write('data/CACHEDIR.TAG', TAG);
    folder.write('data/file', 'content');
    folder.write('free/CACHEDIR.TAG', TAG);
    folder.write('free/file', 'free');
    git(folder, 'add', 'data');
    git(folder, 'commit', '-qm', 'all');
    const linked = join(folder.base, 'linked');
    git(folder, 'worktree', 'add', '-q', linked);
    mkdirSync(join(linked, 'free'));
    writeFileSync(join(linked, 'free/CACHEDIR.TAG'), TAG);
    writeFileSync(join(linked, 'free/file'), 'free in the worktree');
    using snapshots = await createSnapshots(linked, { stateDir: folder.stateDir, cover: 'sources' });
    const tree = await snapshots.snapshot();
    expect(await isStored(snapshots, tree, 'data/file')).toBe(true);
    expect(await isStored(snapshots, tree, 'free/file')).toBe(false);
    // The workspace is a folder of the repository.
    folder.write('app/data/CACHEDIR.TAG', TAG);
    folder.write('app/data/file', 'in a folder');
    git(folder, 'add', 'app');
    using below = await createSnapshots(join(folder.root, 'app'), { stateDir: folder.stateDir, cover: 'sources' });
    expect(await isStored(below, await below.snapshot(), 'data/file')).toBe(true);
  });

  test('a repository in the folder of a tool, and a folder of a tool that is one', async () => {
    using folder = createFolder();
    using snapshots = await open(folder);
    folder.write('.venv/pyvenv.cfg', 'home = /usr/bin\n');
    folder.write('.venv/lib/a.py', 'installed');
    folder.write('.venv/src/own/file', 'cloned');
    execFileSync('git', ['init', '-q', join(folder.root, '.venv/src/own')]);
    folder.write('cache/CACHEDIR.TAG', TAG);
    folder.write('cache/file', 'mine');
    execFileSync('git', ['init', '-q', join(folder.root, 'cache')]);
    const tree = await snapshots.snapshot();
    expect(await isStored(snapshots, tree, '.venv/lib/a.py')).toBe(false);
    expect(await isStored(snapshots, tree, '.venv/src/own/file')).toBe(true);
    expect(await isStored(snapshots, tree, 'cache/file')).toBe(true);
  });
});

describe('a folder that was seen without a marker stays covered', () => {
  test.each([
    ['moved', 'mv src lib'],
    ['moved with another one around it', 'mkdir lib && mv src lib/src && cp tag lib/src/CACHEDIR.TAG'],
    ['copied beside a larger file', 'cp -r src lib && rm -r src && head -c 100000 /dev/zero > lib/zero'],
  ])('when it is %s and marked at once', async (_, command) => {
    using folder = createFolder();
    using snapshots = await open(folder);
    folder.write('tag', TAG);
    for (let i = 0; i < 5; i++) folder.write(`src/deep/${i}.ts`, `export const ${i};\n`);
    await snapshots.snapshot();
    execFileSync('sh', ['-c', `${command} && cp tag lib/CACHEDIR.TAG`], { cwd: folder.root });
    const moved = await snapshots.snapshot();
    expect(await isStored(snapshots, moved, 'lib/CACHEDIR.TAG')).toBe(true);
    const at = command.includes('lib/src') ? 'lib/src/deep' : 'lib/deep';
    folder.write(`${at}/later.ts`, 'later\n');
    folder.write(`${at}/1.ts`, 'changed\n');
    const later = await snapshots.snapshot();
    for (const name of ['1.ts', '2.ts', 'later.ts'])
      expect(await isStored(snapshots, later, `${at}/${name}`)).toBe(true);
    expect(snapshots.toolFolders().some(({ isActive }) => isActive)).toBe(false);
  });

  test('when Git tracks a file in it later', async () => {
    using folder = createFolder();
    using snapshots = await open(folder);
    git(folder, 'init', '-q');
    folder.write('lib/CACHEDIR.TAG', TAG);
    folder.write('lib/one', 'one');
    folder.write('lib/deep/two', 'two');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'lib/one')).toBe(false);
    git(folder, 'add', 'lib/one');
    const tracked = await snapshots.snapshot();
    for (const path of ['lib/one', 'lib/deep/two']) expect(await isStored(snapshots, tracked, path)).toBe(true);
    git(folder, 'rm', '-rq', '--cached', 'lib');
    folder.write('lib/three', 'three');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'lib/three')).toBe(true);
  });

  test('with a marker that is added later, also after it was removed and created in another process', async () => {
    using folder = createFolder();
    folder.write('data/sub/file', 'content');
    folder.write('data/file', 'content');
    {
      using snapshots = await open(folder);
      await snapshots.snapshot();
      folder.write('data/CACHEDIR.TAG', TAG);
      folder.write('data/one', 'one');
      expect(await isStored(snapshots, await snapshots.snapshot(), 'data/one')).toBe(true);
      renameSync(join(folder.root, 'data'), join(folder.base, 'data'));
      await snapshots.snapshot();
    }
    // Another process.
    using snapshots = await open(folder);
    folder.write('data/CACHEDIR.TAG', TAG);
    folder.write('data/two', 'two');
    folder.write('data/sub/CACHEDIR.TAG', TAG);
    folder.write('data/sub/three', 'three');
    const tree = await snapshots.snapshot();
    expect(await isStored(snapshots, tree, 'data/two')).toBe(true);
    expect(await isStored(snapshots, tree, 'data/sub/three')).toBe(true);
    expect(snapshots.toolFolders()).toEqual([]);
  });

  test('when a tag becomes valid', async () => {
    using folder = createFolder();
    using snapshots = await open(folder);
    folder.write('data/CACHEDIR.TAG', 'none');
    folder.write('data/one', 'one');
    await snapshots.snapshot();
    folder.write('data/CACHEDIR.TAG', TAG);
    folder.write('data/two', 'two');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'data/two')).toBe(true);
  });

  test('when the marker of a tool was gone: all of its content is stored then', async () => {
    using folder = createFolder();
    using snapshots = await open(folder);
    folder.write('target/CACHEDIR.TAG', TAG);
    folder.write('target/deep/one', 'one');
    letTimePass();
    await snapshots.snapshot();
    expect(await isStored(snapshots, await snapshots.snapshot(), 'target/deep/one')).toBe(false);
    rmSync(join(folder.root, 'target/CACHEDIR.TAG'));
    expect(await isStored(snapshots, await snapshots.snapshot(), 'target/deep/one')).toBe(true);
    folder.write('target/CACHEDIR.TAG', TAG);
    folder.write('target/two', 'two');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'target/two')).toBe(true);
    expect(snapshots.toolFolders()).toEqual([{ path: 'target', isActive: false }]);
  });

  test('when it was empty in between', async () => {
    using folder = createFolder();
    using snapshots = await open(folder);
    folder.write('data/file', 'content');
    await snapshots.snapshot();
    rmSync(join(folder.root, 'data/file'));
    await snapshots.snapshot();
    await snapshots.snapshot();
    folder.write('data/CACHEDIR.TAG', TAG);
    folder.write('data/later', 'later');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'data/later')).toBe(true);
  });

  test('when a scan of a folder with a marker broke off, and the marker is gone', async () => {
    using folder = createFolder();
    folder.write('target/CACHEDIR.TAG', TAG);
    for (let i = 0; i < 2_500; i++) folder.write(`target/${i}/file`, `content ${i}`);
    letTimePass();
    {
      using snapshots = await open(folder);
      const stop = new AbortController();
      const onProgress = (files: number): void => void (files > 4_600 && stop.abort());
      await expect(snapshots.snapshot({ signal: stop.signal, onProgress })).rejects.toMatchObject({
        code: 'cancelled',
      });
    }
    rmSync(join(folder.root, 'target/CACHEDIR.TAG'));
    using snapshots = await open(folder);
    const tree = await snapshots.snapshot();
    for (let i = 0; i < 2_500; i += 100) expect(await isStored(snapshots, tree, `target/${i}/file`)).toBe(true);
  });

  test('an empty folder is no folder of someone', async () => {
    using folder = createFolder();
    using snapshots = await open(folder);
    mkdirSync(join(folder.root, 'target'));
    await snapshots.snapshot();
    folder.write('target/CACHEDIR.TAG', TAG);
    folder.write('target/one', 'one');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'target/one')).toBe(false);
  });
});

test('folders of tools that are renamed, nested or on the way elsewhere', async () => {
  using folder = createFolder();
  using snapshots = await open(folder);
  folder.write('target/CACHEDIR.TAG', TAG);
  folder.write('target/a.o', 'a');
  folder.write('target/tmp/CACHEDIR.TAG', TAG);
  folder.write('target/tmp/b.o', 'b');
  const before = await snapshots.snapshot();
  expect(snapshots.toolFolders()).toEqual([{ path: 'target', isActive: true }]);
  execFileSync('sh', ['-c', 'mv target out && mkdir src && cp out/a.o src/a.o'], { cwd: folder.root });
  const renamed = await snapshots.snapshot();
  expect(await isStored(snapshots, renamed, 'out/tmp/b.o')).toBe(false);
  expect(await isStored(snapshots, renamed, 'src/a.o')).toBe(true);
  // The same content.
  expect(await isStored(snapshots, before, 'target/a.o')).toBe(true);
  rmSync(join(folder.root, 'src'), { recursive: true });
  execFileSync('sh', ['-c', 'mv out/tmp inner && rm inner/CACHEDIR.TAG'], { cwd: folder.root });
  expect(await isStored(snapshots, await snapshots.snapshot(), 'inner/b.o')).toBe(true);
});

test('a large tag, and a repository whose files are pipes', async () => {
  using folder = createFolder();
  using snapshots = await open(folder);
  folder.write('cache/CACHEDIR.TAG', TAG);
  folder.write('cache/file', 'file');
  execFileSync('sh', ['-c', 'truncate -s 16M cache/CACHEDIR.TAG'], { cwd: folder.root });
  expect(await isStored(snapshots, await snapshots.snapshot(), 'cache/file')).toBe(false);
  folder.write('other/CACHEDIR.TAG', TAG);
  folder.write('other/file', 'other');
  execFileSync('sh', ['-c', 'mkdir .git && mkfifo .git/index'], { cwd: folder.root });
  // What it tracks is unknown.
  expect(await isStored(snapshots, await snapshots.snapshot(), 'other/file')).toBe(true);
});

test('in the folder of a tool, files by which Klaus judges are stored, and paths that are named', async () => {
  using folder = createFolder();
  using snapshots = await open(folder);
  folder.write('.venv/pyvenv.cfg', 'home = /usr/bin\n');
  folder.write('.venv/.vscode/tasks.json', '{}');
  folder.write('.venv/lib/a.pth', 'import os');
  folder.write('.venv/lib/a.py', 'a');
  folder.write('.venv/share/package.json', '{"scripts":{}}');
  const tree = await snapshots.snapshot();
  for (const path of ['.venv/.vscode/tasks.json', '.venv/lib/a.pth', '.venv/share/package.json'])
    expect(await isStored(snapshots, tree, path)).toBe(true);
  expect(await isStored(snapshots, tree, '.venv/lib/a.py')).toBe(false);
  const named = await snapshots.snapshot({ only: { base: tree, paths: ['.venv/lib/a.py'] } });
  expect(named).toBe(tree);
  expect(await isStored(snapshots, named, '.venv/lib/a.py')).toBe(true);
});

test('with `all` everything is stored, also what a scan with `sources` left out', async () => {
  using folder = createFolder();
  folder.write('node_modules/.package-lock.json', '{}');
  folder.write('node_modules/a/index.js', 'a');
  {
    using snapshots = await open(folder);
    expect(await isStored(snapshots, await snapshots.snapshot(), 'node_modules/a/index.js')).toBe(false);
  }
  {
    using snapshots = await open(folder, 'all');
    expect(await isStored(snapshots, await snapshots.snapshot(), 'node_modules/a/index.js')).toBe(true);
  }
  using snapshots = await open(folder);
  folder.write('node_modules/a/index.js', 'b');
  expect(await isStored(snapshots, await snapshots.snapshot(), 'node_modules/a/index.js')).toBe(false);
});

test('a store of an earlier version: a known installation is a folder of a tool, a folder of the user stays covered', async () => {
  using folder = createFolder();
  folder.write('node_modules/.package-lock.json', '{}');
  folder.write('node_modules/a.js', 'a');
  folder.write('data/file', 'mine');
  let before: string;
  {
    using snapshots = await open(folder, 'all');
    before = await snapshots.snapshot();
  }
  {
    using database = new DatabaseSync(join(listSnapshotStores(folder.stateDir)[0]!.folder, 'snapshots.db'));
    database.exec("DELETE FROM meta WHERE name <> 'last'");
  }
  folder.write('node_modules/a.js', 'b');
  folder.write('data/CACHEDIR.TAG', TAG);
  folder.write('data/later', 'later');
  using snapshots = await open(folder);
  const tree = await snapshots.snapshot();
  expect(await isStored(snapshots, before, 'node_modules/a.js')).toBe(true);
  expect(await isStored(snapshots, tree, 'node_modules/a.js')).toBe(false);
  expect(await isStored(snapshots, tree, 'data/later')).toBe(true);
});

test('only a store in which content may be missing has the format that earlier versions refuse', async () => {
  using folder = createFolder();
  folder.write('a.txt', 'one\n');
  const formatOf = (): unknown => {
    const [store] = listSnapshotStores(folder.stateDir);
    using database = new DatabaseSync(join(store!.folder, 'snapshots.db'));
    return database.prepare('PRAGMA user_version').get();
  };
  using snapshots = await open(folder);
  await snapshots.snapshot();
  expect(formatOf()).toEqual({ user_version: 1 });
  folder.write('target/CACHEDIR.TAG', TAG);
  await snapshots.snapshot();
  expect(formatOf()).toEqual({ user_version: 2 });
});

test('the merged folder of a layer is stored', async () => {
  using folder = createFolder();
  using snapshots = await open(folder);
  folder.write('node_modules/.package-lock.json', '{}');
  folder.write('node_modules/a.js', 'a');
  const base = await snapshots.snapshot();
  const merged = join(folder.base, 'merged');
  mkdirSync(join(merged, 'node_modules'), { recursive: true });
  writeFileSync(join(merged, 'node_modules/.package-lock.json'), '{}');
  writeFileSync(join(merged, 'node_modules/a.js'), 'changed');
  const after = await snapshots.snapshot({ only: { base, paths: ['node_modules/a.js'] }, folder: merged });
  expect(await isStored(snapshots, after, 'node_modules/a.js')).toBe(true);
  // It can be applied, and reverted.
  const rows = await snapshots.changes(base, after);
  const applied = await snapshots.apply(rows);
  expect(applied).toMatchObject({ applied: true });
  expect(await isStored(snapshots, base, 'node_modules/a.js')).toBe(true);
});

test('garbage collection frees content that a scan with `all` stored, when no state needs it', async () => {
  using folder = createFolder();
  folder.write('target/CACHEDIR.TAG', TAG);
  folder.write('target/large', randomBytes(3_000_000));
  folder.write('src', 'source');
  {
    using snapshots = await open(folder, 'all');
    await snapshots.snapshot();
  }
  using snapshots = await open(folder);
  folder.write('src', 'changed');
  const tree = await snapshots.snapshot();
  expect(await isStored(snapshots, tree, 'target/large')).toBe(true);
  const [store] = listSnapshotStores(folder.stateDir);
  using database = new DatabaseSync(join(store!.folder, 'snapshots.db'));
  database.exec(
    'UPDATE objects SET made = made - 7200; UPDATE trees SET made = made - 7200; UPDATE states SET at = at - 7200',
  );
  // A session needs the state: its content stays.
  expect(await snapshots.gc({ keep: [tree], dryRun: true })).toMatchObject({ states: 1 });
  expect((await snapshots.gc({ keep: [tree], dryRun: true })).bytes).toBeLessThan(1_000_000);
  expect((await snapshots.gc({ keep: [] })).bytes).toBeGreaterThan(2_900_000);
  expect(await isStored(snapshots, tree, 'target/large')).toBe(false);
  expect(await isStored(snapshots, tree, 'src')).toBe(true);
  expect(await snapshots.snapshot()).toBe(tree);
});
