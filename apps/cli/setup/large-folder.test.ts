import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isLargeFolder } from './large-folder.ts';

test('a folder with more entries than the limit, at any depth, is large; a repository and its folders are not', () => {
  const root = mkdtempSync(join(tmpdir(), 'klaus-test-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  expect(isLargeFolder(root, { max: 0 })).toBe(false);
  const folder = join(root, 'a/b');
  mkdirSync(folder, { recursive: true });
  for (const name of ['1', '2', '3']) writeFileSync(join(folder, name), '');
  expect(isLargeFolder(root, { max: 5 })).toBe(false);
  expect(isLargeFolder(root, { max: 4 })).toBe(true);
  expect(isLargeFolder(folder, { max: 2 })).toBe(true);
  mkdirSync(join(root, '.git'));
  expect(isLargeFolder(root, { max: 4 })).toBe(false);
  expect(isLargeFolder(folder, { max: 2 })).toBe(false);
});
