import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { copyObjects, git } from './git.ts';

test('a receiver that ends early ends the copy of objects that do not fit into a pipe', async () => {
  const root = mkdtempSync(join(tmpdir(), 'klaus-copy-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const from = join(root, 'from');
  const to = join(root, 'no-repository');
  for (const folder of [from, to]) mkdirSync(folder);
  const git = (...words: string[]): string => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@localhost', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...who, ...words], { cwd: from, stdio: 'pipe' })
      .toString()
      .trim();
  };
  git('init', '-q');
  writeFileSync(join(from, 'large.bin'), randomBytes(4 << 20));
  git('add', '-A');
  git('commit', '-q', '-m', 'large');
  const copied = copyObjects({ from, to }, { commits: [git('rev-parse', 'HEAD')], known: [] });
  await expect(copied).rejects.toMatchObject({ code: 'tool.failed' });
});

test('an end by a signal is named', async () => {
  const root = mkdtempSync(join(tmpdir(), 'klaus-git-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'git'), '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${root}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(git('/', ['status'])).rejects.toMatchObject({
    code: 'tool.failed',
    message: expect.stringContaining('SIGKILL'),
  });
});
