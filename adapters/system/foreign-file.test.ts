import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyForeignFileSync, readForeignFile, readForeignFileSync, type ForeignFileOptions } from './foreign-file.ts';

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-foreign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe.each([
  ['readForeignFile', readForeignFile],
  ['readForeignFileSync', async (path: string, options?: ForeignFileOptions) => readForeignFileSync(path, options)],
])('%s', (_, read) => {
  test('reads a file, and one behind a link', async () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'a'), 'äbc');
    symlinkSync('a', join(folder, 'link'));
    expect(await read(join(folder, 'a'))).toEqual({ text: 'äbc', isCut: false });
    expect(await read(join(folder, 'link'))).toEqual({ text: 'äbc', isCut: false });
    writeFileSync(join(folder, 'empty'), '');
    expect(await read(join(folder, 'empty'))).toEqual({ text: '', isCut: false });
  });

  test('reads a part of a large file, or refuses it', async () => {
    const file = join(createFolder(), 'a');
    writeFileSync(file, '0123456789');
    expect(await read(file, { max: 4, part: 'head' })).toEqual({ text: '0123', isCut: true });
    expect(await read(file, { max: 4, part: 'tail' })).toEqual({ text: '6789', isCut: true });
    await expect(read(file, { max: 9 })).rejects.toMatchObject({ code: 'EFBIG' });
    truncateSync(file, 2 ** 40);
    await expect(read(file)).rejects.toMatchObject({ code: 'EFBIG' });
  });

  test('refuses pipes, sockets, devices, folders, and links to them', async () => {
    const folder = createFolder();
    const at = (name: string): string => join(folder, name);
    execFileSync('mkfifo', [at('pipe')]);
    mkdirSync(at('folder'));
    symlinkSync('/dev/zero', at('endless'));
    symlinkSync('/dev/tty', at('terminal'));
    symlinkSync('pipe', at('link'));
    const server = createServer().listen(at('socket'));
    onTestFinished(() => void server.close());
    for (const name of ['pipe', 'folder', 'endless', 'terminal', 'link', 'socket'])
      await expect(read(at(name)), name).rejects.toMatchObject({ code: 'EINVAL' });
    await expect(read(at('missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

test('copies the content and the permissions of a file, and refuses a pipe', () => {
  const folder = createFolder();
  const at = (name: string): string => join(folder, name);
  const content = 'x'.repeat(3 * 1_024 * 1_024 + 1);
  writeFileSync(at('a'), content, { mode: 0o700 });
  writeFileSync(at('b'), 'longer than nothing');
  copyForeignFileSync(at('a'), at('b'));
  copyForeignFileSync(at('a'), at('c'));
  expect(readFileSync(at('b'), 'utf8')).toBe(content);
  expect(statSync(at('c')).mode & 0o777).toBe(0o700);
  execFileSync('mkfifo', [at('pipe')]);
  expect(() => copyForeignFileSync(at('pipe'), at('d'))).toThrow(expect.objectContaining({ code: 'EINVAL' }));
  expect(existsSync(at('d'))).toBe(false);
});
