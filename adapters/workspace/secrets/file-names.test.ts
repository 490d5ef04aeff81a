import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileNames } from './file-names.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-names-')));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Longer than the resolution of file times. */
const RACY_MS = 25;
const isMeant = (path: string): boolean => path.endsWith('.env');
const open = () => createFileNames(root, { picks: isMeant, skips: ['.git'], racyMs: RACY_MS });

/** Waits until changed directories are cached. */
function settle(): void {
  const probe = `${root}.probe`;
  const begun = Date.now();
  do writeFileSync(probe, '');
  while (statSync(probe).ctimeMs < begun + 2 * RACY_MS);
  rmSync(probe);
}

/** A search without a cache. */
function walk(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === '.git' ? [] : walk(path);
      return entry.isFile() && isMeant(path) ? [relative(root, path)] : [];
    })
    .sort();
}

describe('files by their names', () => {
  test('are found in their present state, also after the times of their folder were reset', async () => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    writeFileSync(join(root, 'a/b/one.env'), '');
    const files = open();
    settle();
    const { atime, mtime } = statSync(join(root, 'a/b'));
    expect((await files.find()).files).toEqual(['a/b/one.env']);
    writeFileSync(join(root, 'a/b/two.env'), '');
    utimesSync(join(root, 'a/b'), atime, mtime);
    expect((await files.find()).files.sort()).toEqual(['a/b/one.env', 'a/b/two.env']);
  });

  test('are not read a second time where nothing changed', async () => {
    const asked: string[] = [];
    writeFileSync(join(root, 'a.env'), '');
    mkdirSync(join(root, 'b'));
    writeFileSync(join(root, 'b/b.env'), '');
    const picks = (path: string): boolean => asked.push(path) > 0;
    const files = createFileNames(root, { picks, skips: [], racyMs: RACY_MS });
    settle();
    await files.find();
    writeFileSync(join(root, 'b/c.env'), '');
    expect((await files.find()).files.sort()).toEqual(['a.env', 'b/b.env', 'b/c.env']);
    expect(asked.sort()).toEqual(['a.env', 'b/b.env', 'b/b.env', 'b/c.env']);
  });

  test('are not found behind a link that replaced a folder', async () => {
    mkdirSync(join(root, 'a'));
    mkdirSync(join(root, 'other'));
    writeFileSync(join(root, 'a/one.env'), '');
    const files = open();
    settle();
    expect((await files.find()).files).toEqual(['a/one.env']);
    renameSync(join(root, 'a'), join(root, '.git'));
    symlinkSync('.git', join(root, 'a'));
    expect((await files.find()).files).toEqual([]);
  });

  test('are the same as without a cache after any changes', async () => {
    const folders = ['', 'a', 'a/b', 'c', 'c/d/e', '.git'];
    const files = open();
    for (let step = 0; step < 120; step++) {
      const folder = join(root, folders[Math.floor(Math.random() * folders.length)]!);
      const name = `${Math.floor(Math.random() * 3)}${Math.random() < 0.7 ? '.env' : '.txt'}`;
      const kind = Math.random();
      if (kind < 0.6) {
        mkdirSync(folder, { recursive: true });
        rmSync(join(folder, name), { recursive: true, force: true });
        writeFileSync(join(folder, name), '');
      } else if (kind < 0.8) rmSync(join(folder, name), { recursive: true, force: true });
      else if (folder !== join(root, '') && kind < 0.9) rmSync(folder, { recursive: true, force: true });
      else mkdirSync(join(folder, `${step}.env`), { recursive: true });
      if (step % 20 === 0) settle();
      expect((await files.find()).files.sort()).toEqual(walk());
    }
  });
});
