// Covers sdk/workspace: files as the server shows them.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { createSandbox } from '@klaus/adapters/sandboxes';

const FILES = { 'src/a.txt': 'a\n', 'docs/b.txt': 'b\n', 'private/c.txt': 'c\n' };

async function run(command: string, files: (root: string) => { read: string[]; write: string[] }) {
  using place = createTestHome(FILES);
  const { workspace, home } = place;
  mkdirSync(join(workspace, '../outside'));
  writeFileSync(join(workspace, '../outside/secret'), 'out\n');
  symlinkSync('../outside', join(workspace, 'link'));
  const sandbox = await createSandbox({ workspace, home, choice: 'bubblewrap' });
  const result = await sandbox.exec({ command, files: files(workspace) });
  return { ...result, text: (path: string) => readFileSync(join(workspace, path), 'utf8') };
}

test('a workspace that may only be read cannot be written, in no place of it', async () => {
  const command = 'cat src/a.txt; echo x > src/a.txt; echo x > new; git status --short; echo x > .git/x; echo end';
  const result = await run(command, (root) => ({ read: [root], write: [] }));
  expect(result.stdout).toContain('a\n');
  expect(result.stdout).toContain('end');
  expect(result.stderr).toContain('Read-only file system');
});

test('only the granted folders are there, each as it was granted', async () => {
  const command = 'ls; cat docs/b.txt; echo y > src/a.txt; echo y > docs/b.txt; cat private/c.txt; ls .git';
  const files = (root: string) => ({ read: [join(root, 'docs')], write: [join(root, 'src')] });
  const result = await run(command, files);
  expect(result.stdout).toBe('docs\nsrc\nb\n');
  expect(result.stderr).toMatch(/docs\/b\.txt.*Read-only/);
  expect(result.stderr).toMatch(/private\/c\.txt.*No such file/);
});

test('a link in the place of a granted folder shows nothing of what is behind it', async () => {
  const result = await run('cat link/secret; ls -A', (root) => ({ read: [], write: [join(root, 'link')] }));
  expect(result.stdout).not.toContain('out');
});
