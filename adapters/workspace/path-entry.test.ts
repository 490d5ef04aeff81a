import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorkspace } from './index.ts';

let base: string;
let root: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-workspace-')));
  root = join(base, 'workspace');
  mkdirSync(join(root, 'src'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  mkdirSync(join(base, 'workspace-evil'));
  writeFileSync(join(root, 'src/a.txt'), 'inside');
  writeFileSync(join(base, 'outside/secret.txt'), 'SECRET');
  writeFileSync(join(base, 'workspace-evil/secret.txt'), 'SECRET');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe.each(['proc', 'path'] as const)('paths by %s', (descriptors) => {
  const open = () => createWorkspace(root, { descriptors });

  test('every spelling of a path inside is accepted', async () => {
    const workspace = await open();
    for (const path of [
      'src/a.txt',
      './src//a.txt',
      'src/../src/a.txt',
      'nothing/../src/a.txt',
      join(root, 'src/a.txt'),
    ]) {
      expect(await workspace.resolve(path)).toEqual({ relative: 'src/a.txt', absolute: join(root, 'src/a.txt') });
      expect(text(await workspace.read(path))).toBe('inside');
    }
    expect(await workspace.resolve('.')).toEqual({ relative: '', absolute: root });
    expect(await workspace.resolve(root)).toEqual({ relative: '', absolute: root });
    expect(await workspace.resolve('new/dir/file')).toEqual({
      relative: 'new/dir/file',
      absolute: join(root, 'new/dir/file'),
    });
  });

  test.each([
    '..',
    '../outside/secret.txt',
    'src/../../outside/secret.txt',
    'new/../../outside/secret.txt',
    '/etc/passwd',
    '/',
    '../workspace-evil/secret.txt',
  ])('%s is outside', async (path) => {
    const workspace = await open();
    await expect(workspace.resolve(path)).rejects.toMatchObject({ code: 'workspace.outside' });
    await expect(workspace.read(path)).rejects.toMatchObject({ code: 'workspace.outside' });
    await expect(workspace.apply([{ path, content: Buffer.from('x'), before: null }])).rejects.toMatchObject({
      code: 'workspace.outside',
    });
  });

  test('a sibling whose name begins with the root is outside', async () => {
    const workspace = await open();
    await expect(workspace.read(`${root}-evil/secret.txt`)).rejects.toMatchObject({ code: 'workspace.outside' });
  });

  test('links that stay inside are followed', async () => {
    symlinkSync('src/a.txt', join(root, 'file'));
    symlinkSync('src', join(root, 'dir'));
    symlinkSync(join(root, 'src'), join(root, 'absolute'));
    symlinkSync('../src/./a.txt', join(root, 'src/around'));
    const workspace = await open();
    for (const path of ['file', 'dir/a.txt', 'absolute/a.txt', 'src/around', 'dir/../src/a.txt']) {
      expect((await workspace.resolve(path)).relative).toBe('src/a.txt');
      expect(text(await workspace.read(path))).toBe('inside');
    }
  });

  test('links that lead outside are refused, also dangling ones for writing', async () => {
    symlinkSync('../outside/secret.txt', join(root, 'file'));
    symlinkSync('../outside', join(root, 'dir'));
    symlinkSync(join(base, 'outside'), join(root, 'absolute'));
    symlinkSync('../outside/not-there', join(root, 'dangling'));
    symlinkSync('dir', join(root, 'twice'));
    symlinkSync('/proc/self/root', join(root, 'magic'));
    const workspace = await open();
    for (const path of [
      'file',
      'dir/secret.txt',
      'absolute/secret.txt',
      'dangling',
      'twice/secret.txt',
      'magic/etc/passwd',
    ]) {
      await expect(workspace.read(path)).rejects.toMatchObject({ code: 'workspace.outside' });
      await expect(workspace.stat(path)).rejects.toMatchObject({ code: 'workspace.outside' });
      await expect(workspace.apply([{ path, content: Buffer.from('x'), before: null }])).rejects.toMatchObject({
        code: 'workspace.outside',
      });
    }
    expect(existsSync(join(base, 'outside/not-there'))).toBe(false);
  });

  test('a link to a missing file inside can be written through', async () => {
    symlinkSync('src/later.txt', join(root, 'link'));
    const workspace = await open();
    expect(await workspace.hash('link')).toBeNull();
    await workspace.apply([{ path: 'link', content: Buffer.from('now'), before: null }]);
    expect(text(await workspace.read('src/later.txt'))).toBe('now');
  });

  test('loops end', async () => {
    symlinkSync('b', join(root, 'a'));
    symlinkSync('a', join(root, 'b'));
    const workspace = await open();
    await expect(workspace.read('a')).rejects.toMatchObject({
      code: 'tool.failed',
      // Not one that changes all the time.
      retryable: false,
    });
  });

  test('malformed names are refused', async () => {
    const workspace = await open();
    for (const path of ['a\0b', 'x'.repeat(10_000), `${'d/'.repeat(5_000)}x`, '\ud800.txt']) {
      await expect(workspace.read(path)).rejects.toMatchObject({ code: 'tool.failed' });
      await expect(workspace.resolve(path)).rejects.toMatchObject({ code: 'tool.failed' });
      await expect(workspace.apply([{ path, content: Buffer.from('x'), before: null }])).rejects.toMatchObject({
        code: 'tool.failed',
      });
    }
  });

  test('a file is not a directory', async () => {
    const workspace = await open();
    await expect(workspace.read('src/a.txt/b')).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringMatching(/\bsrc\/a\.txt\/b\b.*\ba\.txt\b/),
    });
    await expect(workspace.read('src')).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringMatching(/\bsrc\b.*\bdirectory\b/),
    });
    await expect(workspace.read('nothing')).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringMatching(/\bnothing\b.*\bexist\b/),
    });
  });

  test('a FIFO and a device are refused without waiting for them', async () => {
    spawnSync('mkfifo', [join(root, 'pipe')]);
    const workspace = await open();
    expect(await workspace.stat('pipe')).toMatchObject({ kind: 'other' });
    await expect(workspace.read('pipe')).rejects.toMatchObject({
      code: 'tool.failed',
      message: expect.stringMatching(/\bpipe\b.*\bfile\b/),
    });
    await expect(workspace.hash('pipe')).rejects.toMatchObject({ code: 'tool.failed' });
    await expect(workspace.apply([{ path: 'pipe', content: Buffer.from('x'), before: null }])).rejects.toMatchObject({
      code: 'tool.failed',
    });
  });

  test('names in any script work', async () => {
    const workspace = await open();
    for (const path of ['日本語/ファイル.txt', 'naïve – “x”.md', 'a b\tc\n.txt', '-rf', '🦀']) {
      await workspace.apply([{ path, content: Buffer.from(path), before: null }]);
      expect(text(await workspace.read(path))).toBe(path);
    }
  });

  test('a root that was replaced is noticed', async () => {
    const workspace = await open();
    renameSync(root, `${root}-old`);
    await expect(workspace.read('src/a.txt')).rejects.toMatchObject({ code: 'workspace.missing' });
    symlinkSync(join(base, 'outside'), root);
    await expect(workspace.read('secret.txt')).rejects.toMatchObject({ code: 'workspace.missing' });
    rmSync(root);
    mkdirSync(root);
    await expect(workspace.read('secret.txt')).rejects.toMatchObject({ code: 'workspace.missing' });
  });
});

test('parts of a file, and a limit', async () => {
  const workspace = await createWorkspace(root);
  expect(text(await workspace.read('src/a.txt', { offset: 2, length: 3 }))).toBe('sid');
  expect(text(await workspace.read('src/a.txt', { offset: 4, length: 99 }))).toBe('de');
  await expect(workspace.read('src/a.txt', { maxBytes: 5 })).rejects.toMatchObject({ code: 'tool.failed' });
  expect(text(await workspace.read('src/a.txt', { maxBytes: 6 }))).toBe('inside');
});

test('the workspace given through a link is the real one, and both spellings work', async () => {
  symlinkSync(root, join(base, 'short'));
  const workspace = await createWorkspace(join(base, 'short'));
  expect(workspace.root).toBe(root);
  expect((await workspace.resolve(join(base, 'short/src/a.txt'))).absolute).toBe(join(root, 'src/a.txt'));
});

test('folders that an agent should not work in', async () => {
  const home = join(base, 'home');
  mkdirSync(join(home, '.klaus/sessions'), { recursive: true });
  mkdirSync(join(home, '.ssh/keys'), { recursive: true });
  mkdirSync(join(home, '.config/gh'), { recursive: true });
  const options = { home, klausHome: join(home, '.klaus') };
  await expect(createWorkspace(join(base, 'nothing'), options)).rejects.toMatchObject({
    code: 'workspace.missing',
    hint: expect.stringContaining('--cwd'),
  });
  await expect(createWorkspace(join(root, 'src/a.txt'), options)).rejects.toMatchObject({ code: 'workspace.missing' });
  const secret = ['.ssh', '.ssh/keys', '.config/gh'].map((name) => join(home, name));
  for (const folder of ['/', home, base, join(home, '.klaus'), join(home, '.klaus/sessions'), ...secret, '/etc']) {
    await expect(createWorkspace(folder, options)).rejects.toMatchObject({
      code: 'workspace.refused',
      hint: expect.stringContaining('--allow-any-workspace'),
    });
    expect((await createWorkspace(folder, { ...options, allowAny: true })).root).toBe(folder);
  }
  expect((await createWorkspace(root, options)).root).toBe(root);
});
