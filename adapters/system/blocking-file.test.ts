import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findBlockingFile } from './blocking-file.ts';

function createRepository() {
  const top = mkdtempSync(join(tmpdir(), 'klaus-blocking-'));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  execFileSync('git', ['init', '-q', top]);
  writeFileSync(join(top, '.gitignore'), '*.log\n');
  return { top, find: () => findBlockingFile({ top, gitDirs: [join(top, '.git')] }) };
}

test('an ordinary repository has none, also with the socket of a file system monitor', () => {
  const { top, find } = createRepository();
  const server = createServer().listen(join(top, '.git/fsmonitor--daemon.ipc'));
  onTestFinished(() => void server.close());
  expect(find()).toBeUndefined();
});

test.for([
  ...['.gitignore', '.gitattributes', '.git/HEAD', '.git/packed-refs', '.git/info/exclude', '.git/refs/heads/a/b'],
  ...['.git/logs/refs/stash', '.git/objects/info/alternates', '.git/objects/pack/pack-1.idx'],
])('finds a named pipe, and a link to a device, at %s', (name) => {
  const { top, find } = createRepository();
  const path = join(top, name);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
  expect(find()).toBe(path);
  rmSync(path);
  symlinkSync('/dev/zero', path);
  expect(find()).toBe(path);
});
