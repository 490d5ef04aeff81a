import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFolders } from './check-folders.ts';

test('a working copy needs its folder and its branch, loose or packed', () => {
  const path = mkdtempSync(join(tmpdir(), 'klaus-folders-'));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...words], { cwd: path });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'Begin');
  git('branch', 'klaus/one');
  const check = (branch: string) => () => checkFolders({ workspace: path, workingCopy: { path, branch } });
  expect(check('klaus/one')).not.toThrow();
  git('pack-refs', '--all');
  expect(check('klaus/one')).not.toThrow();
  expect(check('klaus/two')).toThrow(expect.objectContaining({ code: 'workspace.missing' }));
  git('branch', '-D', 'klaus/one');
  expect(check('klaus/one')).toThrow(expect.objectContaining({ code: 'workspace.missing' }));
  rmSync(path, { recursive: true });
  expect(check('main')).toThrow(expect.objectContaining({ code: 'workspace.missing' }));
  expect(() => checkFolders({ workspace: path })).toThrow(expect.objectContaining({ code: 'workspace.missing' }));
});
