// Covers core/agent/git/disarm-folders.ts: links in Git's own data do not lead the next command of Git out of the workspace.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const NAMES =
  'worktrees modules logs logs/HEAD logs/refs/heads/main COMMIT_EDITMSG FETCH_HEAD ORIG_HEAD MERGE_MSG SQUASH_MSG gitk.cache refs/notes rebase-merge lfs'.split(
    ' ',
  );

test.each(NAMES)('%s is no link after the turn, and nothing outside changes', async (name) => {
  const outside = '../outside';
  const command = `rm -rf .git/${name}; mkdir -p "$(dirname .git/${name})"; ln -s "$PWD/${outside}/${name.includes('logs') && name !== 'logs' ? 'file' : ''}" .git/${name}; echo done`;
  await using engine = await createTestEngine({
    script: {
      steps: [{ reply: { calls: [{ name: 'run_command', input: { command: 'sh step.sh' } }] } }],
      fallback: { text: 'Done.' },
    },
    files: { 'a.txt': 'a\n', 'step.sh': `${command}\n` },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto', checkpoint: 'manual' },
  });
  const { workspace, env } = engine.place;
  const folder = join(workspace, outside);
  mkdirSync(join(folder, 'photos'), { recursive: true });
  writeFileSync(join(folder, 'photos/a.jpg'), 'photo');
  writeFileSync(join(folder, 'file'), 'mine\n');
  const git = (...words: string[]): string =>
    execFileSync('git', words, { cwd: workspace, env: { ...process.env, ...env }, encoding: 'utf8' });
  const session = await engine.klaus.open({ workspace });
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  const events = await Array.fromAsync(session.events());
  // The result names what the guard reverts.
  expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['error']);
  expect(lstatSync(join(workspace, '.git', name), { throwIfNoEntry: false })?.isSymbolicLink() ?? false).toBe(false);
  git('worktree', 'prune');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-qm', 'Next');
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('mine\n');
  expect(existsSync(join(folder, 'photos/a.jpg'))).toBe(true);
});
