import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toInheritedConfiguration } from './configuration-text.ts';

test('identity, remotes and conversions are inherited; programs are not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-config-'));
  const file = join(folder, 'config');
  const git = (...args: string[]) => execFileSync('git', ['config', '--file', file, ...args]).toString();
  const kept = {
    'user.name': 'Ann "A" \\ B',
    'remote.origin.url': 'https://example.com/a.git',
    'branch.a.b "c".merge': 'refs/heads/x',
    'core.autocrlf': 'input',
  };
  const dropped = {
    'core.hookspath': 'hooks',
    'core.fsmonitor': 'run',
    'alias.x': '!run',
    'credential.helper': '!run',
    'include.path': 'other',
    'core.worktree': '/',
  };
  for (const [key, value] of Object.entries({ ...kept, ...dropped })) git(key, value);
  const text = toInheritedConfiguration(git('--list', '-z'));
  writeFileSync(file, text);
  const read = git('--list', '-z').split('\0').filter(Boolean);
  expect(read.map((entry) => entry.split('\n'))).toEqual(Object.entries(kept));
  rmSync(folder, { recursive: true });
});
